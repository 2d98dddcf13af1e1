/** Programs in a machine, by qemu's own agent in it: it takes one request at a time. */
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunResult } from '../exec.ts'

/** Milliseconds after which a machine that is going down, or coming up, has not heard. */
const PATIENCE = 10_000

interface Started {
  readonly pid: number
}

interface Ended {
  readonly exited: boolean
  readonly exitcode?: number
  readonly 'out-data'?: string
  readonly 'err-data'?: string
}

export interface GuestAgent {
  /** @throws when the machine does not answer, or has started again meanwhile */
  exec(command: readonly string[]): Promise<RunResult>
}

/** @param path of the socket that qemu listens at */
export function guestAgent(path: string): GuestAgent {
  let last: Promise<unknown> = Promise.resolve()
  return {
    exec([program = '', ...args]) {
      const result = last.catch(() => undefined).then(() => execute(path, program, args))
      last = result
      return result
    },
  }
}

async function execute(path: string, program: string, args: readonly string[]): Promise<RunResult> {
  using channel = await open(path)
  // What a request before it was answered with, too late, goes first.
  const id = Math.floor(performance.now())
  await channel.ask('guest-sync', { id }, (answer) => answer === id)
  const start = { path: program, arg: args, 'capture-output': true }
  const { pid } = (await channel.ask('guest-exec', start)) as Started
  for (;;) {
    const ended = (await channel.ask('guest-exec-status', { pid })) as Ended
    if (ended.exited) {
      const textOf = (data = '') => Buffer.from(data, 'base64').toString()
      return { code: ended.exitcode ?? 128, stdout: textOf(ended['out-data']), stderr: textOf(ended['err-data']) }
    }
    await sleep(100)
  }
}

interface Channel extends Disposable {
  ask(request: string, args: object, fits?: (answer: unknown) => boolean): Promise<unknown>
}

async function open(path: string): Promise<Channel> {
  const socket = await connected(path)
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  socket.setTimeout(PATIENCE, () => socket.destroy(new Error('the machine does not answer')))
  return {
    async ask(request, args, fits = () => true) {
      socket.write(`${JSON.stringify({ execute: request, arguments: args })}\n`)
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error(`ask the machine "${request}": it does not answer`)
        const { return: answer, error } = JSON.parse(value) as { return?: unknown; error?: { desc: string } }
        if (error !== undefined) throw new Error(`ask the machine "${request}": ${error.desc}`)
        if (fits(answer)) return answer
      }
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })
}
