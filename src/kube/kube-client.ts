import type { Connection } from './connection.ts'
import { follow } from './follow.ts'
import type { KubeApi, PatchType, RequestOptions } from './kube-api.ts'
import { list } from './list.ts'
import { systemTimers, type Timers } from './timers.ts'
import { type Call, createTransport } from './transport.ts'

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML.
  apply: 'application/apply-patch+yaml',
}

export interface KubeClientOptions {
  /** Requests at a time, watches not counted; the default is 50: more in flight buys latency only. */
  readonly maxSockets?: number
  readonly timers?: Timers
  /** From 0 to below 1: spreads retries and watch durations. */
  readonly random?: () => number
}

/** An API server over kept connections. Opens none before the first request, and keeps no process alive. */
export function createKubeClient(connection: Connection, options: KubeClientOptions = {}): KubeApi {
  const { maxSockets = 50, timers = systemTimers, random = Math.random } = options
  const transport = createTransport(connection, { timers, maxSockets })
  const context = { transport, timers, random }

  /** The type of an answer is the caller's knowledge of the path: the API server has validated what it stores. */
  const send = async <T>(call: Pick<Call, 'verb' | 'method' | 'path' | 'body' | 'contentType'>, more: RequestOptions = {}) => {
    const { query, signal, timeout, newConnection } = more
    return (await transport.send({ ...call, query, signal, timeout, newConnection })) as T
  }

  return {
    get: (path, more) => send({ verb: 'get', method: 'GET', path }, more),
    create: (path, body, more) => send({ verb: 'create', method: 'POST', path, body }, more),
    replace: (path, body, more) => send({ verb: 'replace', method: 'PUT', path, body }, more),
    patch: (path, body, more) =>
      send({ verb: 'patch', method: 'PATCH', path, body, contentType: PATCH_TYPES[more?.type ?? 'merge'] }, more),
    async delete(path, more) {
      await send({ verb: 'delete', method: 'DELETE', path, body: more?.body }, more)
    },
    list: (path, more) => list(transport, path, more),
    follow: (path, more) => follow(context, path, more),
  }
}
