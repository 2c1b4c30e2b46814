/** The first of n things, in an order by which none is and then all are what is asked for; n where none is. */
export function first(n: number, is: (i: number) => boolean): number {
  let low = 0, high = n;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (is(mid)) high = mid;
    else low = mid + 1;
  }
  return low;
}
