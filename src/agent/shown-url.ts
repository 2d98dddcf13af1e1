/** Messages stand on the Node, where many may read them: no password, and no signature of a link, goes there. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname, search } = new URL(url)
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`
}
