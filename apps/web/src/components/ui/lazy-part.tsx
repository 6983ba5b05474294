import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

type PropsOf<Part> = Part extends (props: infer Props extends object) => ReactNode ? Props : never;

/**
 * A component whose module loads when the component is first rendered. Its `fallback`, by default
 * nothing, is shown until then. The fallback of an outer `Suspense` is never shown.
 */
export function lazyPart<
  Name extends string,
  Module extends Readonly<Record<Name, (props: never) => ReactNode>>,
>(load: () => Promise<Module>, name: Name) {
  const Part = lazy(async () => ({
    default: (await load())[name] as unknown as ComponentType<object>,
  }));
  return ({ fallback, ...props }: PropsOf<Module[Name]> & { fallback?: ReactNode }) => (
    <Suspense fallback={fallback}>
      <Part {...props} />
    </Suspense>
  );
}
