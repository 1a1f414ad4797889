import { expect, test } from "vitest";
import { uploadHostings } from "../../lib/front-door/hosting.ts";
import { synthesizeFrontDoor } from "./front-door.ts";
import { short } from "./synth.ts";

/** Resource types whose names are unique in an account across regions: the name's property and maximum length. */
const globalNames: Record<string, [name: RegExp, maxLength: number]> = {
  "AWS::CloudFront::Function": [/"Name":"([^"]+)"/, 64],
  "AWS::CloudFront::CachePolicy": [/"Name":"([^"]+)"/, 128],
  "AWS::CloudFront::VpcOrigin": [/"Name":"([^"]+)"/, 64],
  "AWS::Lambda::WebFunction": [/"FunctionName":"([^"]+)"/, 64],
};

test.each(Object.keys(uploadHostings))("%s: two regions can use the same stage, whatever its length", (hosting) => {
  const stage = "a".padEnd(20, "-stage");
  const { properties } = synthesizeFrontDoor({ context: { largeBodies: hosting, stage } });
  const names = Object.entries(globalNames).flatMap(([type, [property, maxLength]]) =>
    properties(type).map((each) => ({ name: property.exec(JSON.stringify(short(each)))?.[1] ?? "", maxLength })),
  );
  expect(names).toHaveLength(hosting === "web-function" ? 4 : 3);
  for (const { name, maxLength } of names) {
    expect(name).toContain("<AWS::Region>");
    expect(name.replace("<AWS::Region>", "ap-southeast-1").length).toBeLessThanOrEqual(maxLength);
  }
});
