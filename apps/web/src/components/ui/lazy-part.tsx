import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

type PropsOf<Part> = Part extends (props: infer Props extends object) => ReactNode ? Props : never;

/**
 * A component whose module loads when the component is first rendered.
 * @param fallback shown until then; by default nothing
 */
export function lazyPart<
  Name extends string,
  Module extends Readonly<Record<Name, (props: never) => ReactNode>>,
>(load: () => Promise<Module>, name: Name, fallback?: ReactNode) {
  const Part = lazy(async () => ({
    default: (await load())[name] as unknown as ComponentType<object>,
  }));
  return (props: PropsOf<Module[Name]>) => (
    <Suspense fallback={fallback}>
      <Part {...props} />
    </Suspense>
  );
}
