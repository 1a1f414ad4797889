import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import { describeQuotas } from "./runs-quotas.contract.ts";

describeQuotas(async () => fakeAwsStores().runs);
