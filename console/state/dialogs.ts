import { signal } from "@preact/signals";

/**
 * What the dialog "Start run" begins with. `from`: an earlier run, whose input, name and files are copied. `sample`: an input
 * with files.
 */
export interface StartPreset {
  agentId?: string;
  from?: string;
  sample?: { text: string; files: { name: string; text: string }[] };
}

/** Set while the dialog "Start run" is open. */
export const startDialog = signal<StartPreset | undefined>(undefined);

export const paletteOpen = signal(false);
export const helpOpen = signal(false);

export function openStart(preset: StartPreset = {}): void {
  startDialog.value = preset;
}
