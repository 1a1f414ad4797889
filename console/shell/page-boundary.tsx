import { Component, type ComponentChildren } from "preact";
import { Button } from "../ui/fields/button.tsx";
import { Empty } from "../ui/empty.tsx";

interface Props {
  /** The address of the page. Another page starts without the error. */
  path: string;
  children: ComponentChildren;
}

/** Shows an error of a page in its place, so that the shell stays usable. */
export class PageBoundary extends Component<Props, { error?: Error | undefined }> {
  static override getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.error && before.path !== this.props.path) this.setState({ error: undefined });
  }

  override render() {
    const { error } = this.state;
    return error ? <PageError message={error.message} /> : this.props.children;
  }
}

/** In the place of a page whose code could not be loaded: the connection is interrupted, or another version is served. */
export function PageNotLoaded() {
  return <PageError message="Its code could not be loaded. The service may have been updated or stopped." />;
}

function PageError({ message }: { message: string }) {
  return (
    <main class="page">
      <Empty title="This page cannot be shown" wholePage>
        <p>{message}</p>
        <Button icon="again" onClick={() => location.reload()}>
          Reload
        </Button>
      </Empty>
    </main>
  );
}
