import { createConnection } from 'node:net'
import { http } from '../../kube/node-http.ts'
import type { Answer, KubeletEndpoint } from '../ports.ts'
import { uidsListeningOn } from './proc-listeners.ts'

/** Milliseconds for the whole answer, however it comes. */
const DEADLINE = 2000
/** A kubelet says "ok". What has more to say is another program on its port. */
const MAX_BYTES = 10_000

/** Never throws: no answer is an answer. */
export async function healthz(url: string, listeners: typeof uidsListeningOn = uidsListeningOn): Promise<Answer> {
  const answer = await ask(url)
  if (!answer.ok) return answer
  // A user may take the port in the moment in which the kubelet restarts, and say for it that it is well.
  const uids = await listeners(Number(new URL(url).port)).catch(() => [])
  const stranger = uids.find((uid) => uid !== 0 && uid !== process.getuid?.())
  return stranger === undefined
    ? answer
    : { ok: false, detail: `${answer.detail}, by a process of uid ${stranger}, expected root` }
}

function ask(url: string): Promise<Answer> {
  return withDeadline((signal, resolve) => {
    const request = http.get(url, { agent: false, signal }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
        if (body.length > MAX_BYTES) request.destroy(new Error(`more than ${MAX_BYTES} bytes: another program answers there`))
      })
      response.on('end', () => resolve(judge(response.statusCode, body.trim())))
      response.on('error', (error) => resolve({ ok: false, detail: error.message }))
    })
    request.on('error', (error) => resolve({ ok: false, detail: error.message }))
  })
}

/** A kubelet that is healthy answers "ok"; 200 with anything else comes from a foreign process on its port. */
function judge(status: number | undefined, body: string): Answer {
  if (status === 200 && body !== 'ok')
    return { ok: false, detail: `200 "${body.slice(0, 100)}", expected "ok": another program answers there` }
  return { ok: status === 200, detail: `${status} ${body}` }
}

/** Whether somebody accepts connections on a socket of this host. Never throws. */
export function connects(path: string): Promise<Answer> {
  return withDeadline((signal, resolve) => {
    const socket = createConnection({ path })
    const end = (answer: Answer): void => {
      resolve(answer)
      socket.destroy()
    }
    signal.addEventListener('abort', () => socket.destroy(), { once: true })
    socket.on('connect', () => end({ ok: true, detail: 'it accepts connections' }))
    socket.on('error', (error) => end({ ok: false, detail: error.message }))
  })
}

/** Whether a certificate is shown, whosever it is: that is for the API server to judge. Never throws. */
export function showsCertificate({ address: host, port }: KubeletEndpoint): Promise<Answer> {
  return withDeadline((signal, resolve) => {
    const socket = process.getBuiltinModule('node:tls').connect({ host, port, rejectUnauthorized: false })
    const end = (answer: Answer): void => {
      resolve(answer)
      socket.destroy()
    }
    signal.addEventListener('abort', () => socket.destroy(), { once: true })
    socket.on('secureConnect', () => end({ ok: true, detail: 'it shows a certificate' }))
    // OpenSSL puts the place in its own source around the reason.
    socket.on('error', (error: Error & { reason?: string }) => end({ ok: false, detail: error.reason ?? error.message }))
  })
}

function withDeadline(begin: (signal: AbortSignal, resolve: (answer: Answer) => void) => void): Promise<Answer> {
  const deadline = new AbortController()
  return new Promise<Answer>((resolve) => {
    const timer = setTimeout(() => {
      resolve({ ok: false, detail: `no whole answer within ${DEADLINE / 1000} s` })
      deadline.abort()
    }, DEADLINE)
    const answered = (answer: Answer): void => {
      clearTimeout(timer)
      resolve(answer)
    }
    try {
      begin(deadline.signal, answered)
    } catch (error) {
      answered({ ok: false, detail: (error as Error).message })
    }
  })
}
