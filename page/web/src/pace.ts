// Work that follows the slider at its own pace.

/** Calls `work` at once if it last did `pause` milliseconds ago or earlier, and otherwise when that time has passed. */
export function paced(pause: number, work: () => void): () => void {
  let last = -Infinity;
  let waiting = 0;
  return () => {
    if (waiting) return;
    const wait = last + pause - performance.now();
    const act = () => {
      waiting = 0;
      last = performance.now();
      work();
    };
    if (wait <= 0) act();
    else waiting = window.setTimeout(act, wait);
  };
}
