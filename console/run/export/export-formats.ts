export const exportFormats = ["JSON", "Markdown"] as const;
export type ExportFormat = (typeof exportFormats)[number];
