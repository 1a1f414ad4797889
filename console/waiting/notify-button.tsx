import { useState } from "preact/hooks";
import { notifies, setNotifies } from "../state/waiting.ts";
import { Button } from "../ui/fields/button.tsx";

/** Asks the browser whether it may notify about new calls that wait. */
export function NotifyButton() {
  const [refused, setRefused] = useState(false);
  if (!("Notification" in window)) return null;
  const isOn = notifies.value && Notification.permission === "granted";
  const ask = async (): Promise<void> => {
    const permission = await Notification.requestPermission();
    setRefused(permission !== "granted");
    setNotifies(permission === "granted");
  };
  return (
    <>
      {refused && (
        <span class="muted" role="status">
          This browser does not allow it. Change that in its settings for this site.
        </span>
      )}
      <Button
        icon={isOn ? "check" : "ask"}
        aria-pressed={isOn}
        onClick={() => (isOn ? setNotifies(false) : void ask())}
      >
        {isOn ? "Notifies in this browser" : "Notify me in this browser"}
      </Button>
    </>
  );
}
