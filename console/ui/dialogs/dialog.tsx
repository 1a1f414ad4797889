import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "../fields/button.tsx";

interface DialogProps {
  title: ComponentChildren;
  /** Called for Escape, the close button, and a click beside the dialog. The opener then removes the dialog. */
  onClose: () => void;
  narrow?: boolean;
  /** Buttons; the primary one comes last. */
  footer?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

interface ChoiceProps {
  /** The word of the button that leaves it. */
  cancel?: string | undefined;
  onCancel: () => void;
  /** Whether it cannot be left now. */
  disabled?: boolean;
  /** The button of the action. */
  children: ComponentChildren;
}

/** The buttons of a dialog that asks: to leave it, then what it does. */
export function Choice({ cancel = "Cancel", onCancel, disabled = false, children }: ChoiceProps) {
  return (
    <>
      <span />
      <Button onClick={onCancel} disabled={disabled}>
        {cancel}
      </Button>
      {children}
    </>
  );
}

/** A modal dialog that is open while it is rendered. The focus returns to the opener. */
export function Dialog({ title, onClose, narrow = false, footer, class: more = "", children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close(); // beside an open modal dialog, nothing can take the focus
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`${narrow ? "narrow" : ""} ${more}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault(); // the opener decides
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <Button kind="plain" size="small" icon="close" label="Close" onClick={onClose} />
      </header>
      <div class="body">{children}</div>
      {footer !== undefined && <footer>{footer}</footer>}
    </dialog>
  );
}
