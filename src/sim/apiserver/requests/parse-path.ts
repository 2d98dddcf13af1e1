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
  const segments = pathname.split('/').filter((segment) => segment !== '')
  const path = pathname.includes('%') ? segments.map(decoded) : segments
  if (path[0] === 'api') return inVersion('', path, 1)
  return path[0] === 'apis' && path.length > 2 ? inVersion(path[1] ?? '', path, 2) : undefined
}

/** @param at where the version stands */
function inVersion(group: string, path: readonly string[], at: number): ResourcePath | undefined {
  const [version = '', first, second, third] = [path[at], path[at + 1], path[at + 2], path[at + 3]]
  if (first === undefined || path.length - at > 6) return undefined
  const nested = first === 'namespaces' && second !== undefined && third !== undefined && !OF_NAMESPACE.includes(third)
  const from = nested ? at + 3 : at + 1
  const [plural = '', name = '', subresource = ''] = [path[from], path[from + 1], path[from + 2]]
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
