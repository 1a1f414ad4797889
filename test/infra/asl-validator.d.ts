declare module "asl-validator" {
  export default function aslValidator(definition: object): { isValid: boolean; errors: object[] };
}
