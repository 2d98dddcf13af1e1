/** Where in the API a URL points. */
export interface ResourcePath {
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly plural: string
  readonly name: string
  readonly subresource: string
}

/** Subresources of a namespace itself; anything else after `namespaces/x/` is a resource inside it. */
const OF_NAMESPACE = ['status', 'finalize']

/** @returns undefined when it is not the path of a resource. */
export function parsePath(pathname: string): ResourcePath | undefined {
  const [root, ...rest] = pathname.split('/').filter(Boolean).map(decoded)
  if (root === 'api') return inVersion('', rest)
  return root === 'apis' && rest.length > 1 ? inVersion(rest[0] ?? '', rest.slice(1)) : undefined
}

function inVersion(group: string, [version = '', ...rest]: readonly string[]): ResourcePath | undefined {
  const [first, second, third] = rest
  if (first === undefined || rest.length > 5) return undefined
  const nested = first === 'namespaces' && second !== undefined && third !== undefined && !OF_NAMESPACE.includes(third)
  const [plural = '', name = '', subresource = ''] = nested ? rest.slice(2) : rest
  return { group, version, namespace: nested ? second : '', plural, name, subresource }
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
