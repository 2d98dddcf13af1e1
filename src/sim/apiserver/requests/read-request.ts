import type { IncomingMessage } from 'node:http'
import { negotiate, PLAIN } from '../represent/representation.ts'
import type { Registry } from '../resources/registry.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { methodNotAllowed } from '../status-error.ts'
import type { ResourcePath } from './parse-path.ts'
import { parsePath } from './parse-path.ts'
import type { ApiRequest, Verb } from './request.ts'

/** What of an HTTP message says what is asked for. */
export type RequestMessage = Pick<IncomingMessage, 'method' | 'headers'>

/** A request for a resource, without its body. */
export type RequestHead = Omit<ApiRequest, 'body'>

/**
 * @returns undefined when there is no such resource.
 * @throws {StatusError} 405, 406
 */
export function readHead(
  message: RequestMessage,
  url: Pick<URL, 'pathname' | 'searchParams'>,
  registry: Registry,
): RequestHead | undefined {
  const path = parsePath(url.pathname)
  const type = path && registry.find(path.group, path.version, path.plural)
  if (!path || !type || !isServed(path, type)) return undefined
  const verb = verbOf(message.method ?? 'GET', path, url.searchParams)
  const asksForData = verb === 'get' || verb === 'list' || verb === 'watch' || message.headers.accept?.includes('as=')
  return {
    verb,
    type,
    namespace: path.namespace,
    name: path.name,
    subresource: path.subresource as ApiRequest['subresource'],
    query: url.searchParams,
    contentType: message.headers['content-type'] ?? '',
    userAgent: message.headers['user-agent'] ?? '',
    form: asksForData ? negotiate(message.headers.accept, url.searchParams.get('includeObject')) : PLAIN,
  }
}

/** Whether the path is in a group and version that is served, though it is no resource there. */
export function hasVersion(pathname: string, registry: Registry): boolean {
  const path = parsePath(pathname)
  return path !== undefined && registry.all().some((type) => type.group === path.group && type.version === path.version)
}

function isServed(path: ResourcePath, type: ResourceType): boolean {
  if (!type.namespaced && path.namespace !== '') return false
  if (type.namespaced && path.namespace === '' && path.name !== '') return false
  if (path.subresource === '') return true
  return (path.subresource === 'status' && type.hasStatus) || (path.subresource === 'eviction' && type.kind === 'Pod')
}

function verbOf(method: string, { name }: ResourcePath, query: URLSearchParams): Verb {
  const watches = ['true', '1'].includes(query.get('watch') ?? '')
  switch (method) {
    case 'GET':
    case 'HEAD':
      return name ? 'get' : watches ? 'watch' : 'list'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return name ? 'delete' : 'deletecollection'
    default:
      throw methodNotAllowed()
  }
}
