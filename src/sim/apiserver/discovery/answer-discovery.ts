import type { Core } from '../core.ts'
import type { JsonObject } from '../json.ts'
import type { RequestMessage } from '../requests/read-request.ts'
import type { ApiResponse } from '../requests/request.ts'
import { methodNotAllowed } from '../status-error.ts'
import { aggregatedDiscovery } from './aggregated.ts'
import { apiVersions, groupList, groupOf, resourceList } from './legacy.ts'
import { openApiV2 } from './open-api-v2.ts'
import { openApiIndex, openApiV3 } from './open-api-v3.ts'
import { VERSION } from './version.ts'

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** What a client asks to learn what there is. @returns undefined when the path is not about that */
export function answerDiscovery(core: Core, message: RequestMessage, url: URL): ApiResponse | undefined {
  const segments = url.pathname.split('/').filter(Boolean)
  const answer = health(segments) ?? described(core, segments, message)
  if (answer && message.method !== 'GET' && message.method !== 'HEAD') throw methodNotAllowed()
  return answer
}

function health([first, ...rest]: readonly string[]): ApiResponse | undefined {
  const asks = first === 'healthz' || first === 'readyz' || first === 'livez'
  return asks && rest.length === 0 ? { code: 200, text: 'ok', contentType: 'text/plain; charset=utf-8' } : undefined
}

function described(core: Core, segments: readonly string[], message: RequestMessage): ApiResponse | undefined {
  const types = core.registry.all()
  const [root, group, version, ...more] = segments
  if (root === 'version') return json(VERSION)
  if (root === 'openapi') return openApi(core, segments)
  if (root !== 'api' && root !== 'apis') return undefined
  if (segments.length === 1) return rootDocument(core, root, message)
  if (root === 'api') return segments.length === 2 ? found(resourceList(types, { group: '', version: group ?? '' })) : undefined
  if (version === undefined) return found(groupOf(types, group ?? ''))
  return more.length === 0 ? found(resourceList(types, { group: group ?? '', version })) : undefined
}

function rootDocument(core: Core, root: 'api' | 'apis', message: RequestMessage): ApiResponse {
  const types = core.registry.all()
  if (wantsAggregated(message.headers.accept)) {
    const text = JSON.stringify(aggregatedDiscovery(types, root))
    return { code: 200, text, contentType: AGGREGATED, headers: { vary: 'Accept' } }
  }
  const document = root === 'api' ? apiVersions(message.headers.host ?? '') : groupList(types)
  return { ...json(document), headers: { vary: 'Accept' } }
}

function wantsAggregated(accept = ''): boolean {
  return accept.split(',').some((clause) => {
    const parts = clause.split(';').map((part) => part.trim())
    return parts.includes('as=APIGroupDiscoveryList') && parts.includes('v=v2') && parts.includes('g=apidiscovery.k8s.io')
  })
}

function openApi(core: Core, [, version, ...path]: readonly string[]): ApiResponse | undefined {
  const types = core.registry.all()
  if (version === 'v2' && path.length === 0) return json(openApiV2(types))
  if (version !== 'v3') return undefined
  return path.length === 0 ? json(openApiIndex(types)) : found(openApiV3(types, path))
}

function json(document: JsonObject): ApiResponse {
  return { code: 200, text: JSON.stringify(document) }
}

function found(document: JsonObject | undefined): ApiResponse | undefined {
  return document && json(document)
}
