/** Requests to Gitea's API, as somebody. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'

export interface GiteaRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
}

export interface GiteaAnswer<T> {
  readonly status: number
  readonly body: T
}

export interface GiteaApi {
  /** Whatever the status is. */
  send<T>(path: string, request?: GiteaRequest): Promise<GiteaAnswer<T>>
  /** The body of an answer that must be a success. */
  ask<T>(path: string, request?: GiteaRequest): Promise<T>
}

export interface GiteaAddress {
  readonly url: string
  readonly caFile: string
}

/** @param authorization the value of the header */
export function giteaApi({ url, caFile }: GiteaAddress, authorization: string): GiteaApi {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(caFile) })
  function send<T>(path: string, { method = 'GET', body }: GiteaRequest = {}): Promise<GiteaAnswer<T>> {
    return new Promise((resolve, reject) => {
      const headers = { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
      const asked = request(`${url}/api/v1${path}`, { method, agent, headers, timeout: 30_000 }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: answer.statusCode ?? 0, body: (text === '' ? undefined : JSON.parse(text)) as T })
        })
      })
      asked.on('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer`)))
      asked.on('error', reject)
      asked.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
  return {
    send,
    async ask<T>(path: string, options?: GiteaRequest) {
      const { status, body } = await send<T>(path, options)
      if (status >= 200 && status < 300) return body
      throw new Error(`${options?.method ?? 'GET'} ${path}: HTTP ${status}: ${JSON.stringify(body)}`)
    },
  }
}
