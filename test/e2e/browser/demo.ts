/** The demo as people start it, and the address of its page. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { checkout } from '../product/checkout.ts'

export interface RunningDemo extends AsyncDisposable {
  readonly url: string
}

export async function startDemo(): Promise<RunningDemo> {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'demo'], { cwd: checkout, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const url = await Promise.race([
    addressIn(child.stdout),
    ended.then(([code]) => Promise.reject(new Error(`start the demo: it ended with ${code} and named no address`))),
  ])
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT')
      await ended
    },
  }
}

/** It reads on after the address: a pipe that is full would stop the demo. */
function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  output.on('data', (part) => {
    text += part
    const [address] = /http:\/\/127\.0\.0\.1:\d+(?=\n)/.exec(text.replaceAll(/.*Git at.*/g, '')) ?? []
    if (address) resolve(address)
  })
  return promise
}
