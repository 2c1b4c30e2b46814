// What a component asks the server for, as long as it is there.
import { useEffect, useState } from "preact/hooks";
import { aborted, type Problem, problemOf } from "../api";

/** The answer to a question that a key stands for; the one before it stays until it comes. A wait lets hasty questions pass. */
export function useAnswer<T>(key: string, ask: (signal: AbortSignal) => Promise<T>, wait = 0): { value?: T; problem?: Problem; retry: () => void } {
  const [got, setGot] = useState<{ value?: T; problem?: Problem }>({});
  const [again, setAgain] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => ask(stop.signal).then((value) => setGot({ value }), (e) => aborted(e) || setGot({ problem: problemOf(e) })), wait);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key, again]);
  return { ...got, retry: () => (setGot({}), setAgain((n) => n + 1)) };
}
