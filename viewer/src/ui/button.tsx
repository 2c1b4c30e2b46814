import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon";

type P = {
  icon?: IconName; label?: string; on?: boolean; quiet?: boolean; class?: string; children?: ComponentChildren;
  onClick?: (e: MouseEvent) => void; disabled?: boolean; hotkey?: string; id?: string;
};

/** Button with an icon, words, or both. One without words needs a label; `on` makes it a switch. */
export function Button({ icon, label, on, quiet, class: c, children, hotkey, ...rest }: P) {
  const title = label && hotkey ? `${label} (${hotkey})` : label;
  return (
    <button
      type="button"
      class={["btn", quiet && "quiet", !children && "square", c].filter(Boolean).join(" ")}
      aria-label={children ? undefined : label}
      aria-pressed={on}
      aria-keyshortcuts={hotkey}
      title={title}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
