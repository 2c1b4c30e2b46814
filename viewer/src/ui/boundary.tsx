import { Component, type ComponentChildren } from "preact";
import { ErrorState } from "./states";
import { problemOf } from "../api";

type P = { children: ComponentChildren; name: string };

/** Boundary keeps the page alive when one of its rooms fails, and says so there. */
export class Boundary extends Component<P, { error: unknown }> {
  state = { error: null as unknown };
  static getDerivedStateFromError(error: unknown) {
    return { error };
  }
  render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <ErrorState problem={{ ...problemOf(error), hint: `The ${this.props.name} could not be drawn; the rest of the page still works.` }} retry={() => this.setState({ error: null })} />;
  }
}
