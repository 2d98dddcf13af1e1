import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Core } from '../core.ts'
import { answerDiscovery } from '../discovery/answer-discovery.ts'
import { dispatch } from '../requests/dispatch.ts'
import { hasVersion, readHead } from '../requests/read-request.ts'
import type { ApiResponse } from '../requests/request.ts'
import { internalError, noSuchResource, StatusError } from '../status-error.ts'
import type { WatchOptions } from '../watch/serve-watch.ts'
import type { Faults } from './faults.ts'
import { readMessage } from './read-message.ts'
import type { RequestCounters } from './request-counters.ts'

export interface Handling {
  readonly core: Core
  readonly faults: Faults
  readonly counters: RequestCounters
  readonly watch: WatchOptions
}

/** Answers one HTTP request, whatever happens. */
export async function handleRequest(message: IncomingMessage, response: ServerResponse, handling: Handling): Promise<void> {
  try {
    const { latency } = handling.faults
    const body = await readMessage(message)
    if (latency > 0) await wait(latency)
    const answer = answerTo(message, response, { ...handling, body })
    if (answer) send(response, answer)
  } catch (error) {
    if (response.headersSent) response.destroy()
    else sendError(response, error instanceof StatusError ? error : internalError(String((error as Error).message)))
  }
}

function answerTo(
  message: IncomingMessage,
  response: ServerResponse,
  { core, faults, counters, watch, body }: Handling & { body: Buffer },
): ApiResponse | undefined {
  const url = new URL(message.url ?? '/', 'http://server')
  const discovered = answerDiscovery(core, message, url)
  if (discovered) return discovered
  const head = readHead(message, url, core.registry)
  if (!head && hasVersion(url.pathname, core.registry)) throw noSuchResource()
  if (!head) return { code: 404, text: '404 page not found\n', contentType: 'text/plain; charset=utf-8' }
  const { verb, type, subresource } = head
  const resource = `${type.plural}${type.group ? `.${type.group}` : ''}${subresource ? `/${subresource}` : ''}`
  counters.add(verb, resource)
  faults.check(verb, resource)
  return dispatch(core, { ...head, body }, { response, watch })
}

function send(response: ServerResponse, { code, text, contentType, headers, warnings }: ApiResponse): void {
  if (warnings && warnings.length > 0)
    response.setHeader(
      'warning',
      warnings.map((warning) => `299 - "${warning.replace(/["\\]/g, '\\$&')}"`),
    )
  response.writeHead(code, { 'content-type': contentType ?? 'application/json', ...headers })
  response.end(text)
}

function sendError(response: ServerResponse, error: StatusError): void {
  const retryAfter = error.details?.retryAfterSeconds
  const headers = retryAfter ? { 'retry-after': String(retryAfter) } : {}
  send(response, { code: error.code, text: JSON.stringify(error.toStatus()), headers })
}
