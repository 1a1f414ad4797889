import { expect, test } from "vitest";
import { largeBodyHomes } from "../../lib/front-door/hosting.ts";
import { synthesiseFrontDoor } from "./front-door.ts";
import { short } from "./synth.ts";

/** Whose names one account's regions share: the property that has the name, and the most characters. */
const shared: Record<string, [name: RegExp, most: number]> = {
  "AWS::CloudFront::Function": [/"Name":"([^"]+)"/, 64],
  "AWS::CloudFront::CachePolicy": [/"Name":"([^"]+)"/, 128],
  "AWS::CloudFront::VpcOrigin": [/"Name":"([^"]+)"/, 64],
  "AWS::Lambda::WebFunction": [/"FunctionName":"([^"]+)"/, 64],
};

test.each(Object.keys(largeBodyHomes))("%s: two regions can have the same stage, with a name of any length", (home) => {
  const stage = "a".padEnd(20, "-stage");
  const { properties } = synthesiseFrontDoor({ context: { largeBodies: home, stage } });
  const names = Object.entries(shared).flatMap(([type, [property, most]]) =>
    properties(type).map((each) => ({ name: property.exec(JSON.stringify(short(each)))?.[1] ?? "", most })),
  );
  expect(names).toHaveLength(3);
  for (const { name, most } of names) {
    expect(name).toContain("<AWS::Region>");
    expect(name.replace("<AWS::Region>", "ap-southeast-1").length).toBeLessThanOrEqual(most);
  }
});
