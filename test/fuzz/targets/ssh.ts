import { PassThrough } from 'node:stream'
import type { ClientChannel } from 'ssh2'
import { uploadPackOn } from '../../../src/gitsync/ssh-process.ts'

/** What a server answers over SSH: its refs in packets, then the rest, its standard error and an exit code. */
export async function ssh(input: Buffer): Promise<void> {
  const channel = aChannel(input)
  const process = uploadPackOn(channel)
  try {
    await process.untilFlush()
    process.ask(Buffer.from('0000'))
    for await (const _ of process.rest());
  } catch (error) {
    if (!(error instanceof Error && error.name === 'GitSyncError')) throw error
  }
}

const PIECE = 777

/** The first byte is the exit code; the text after the last zero byte goes to the standard error. */
function aChannel(input: Buffer): ClientChannel {
  const channel = new PassThrough()
  const stderr = new PassThrough()
  queueMicrotask(() => {
    stderr.end(input.subarray(input.lastIndexOf(0) + 1))
    for (let at = 1; at < input.length; at += PIECE) channel.write(input.subarray(at, at + PIECE))
    channel.emit('exit', input[0] ?? null)
    channel.end()
  })
  const asked = Object.assign(channel, { stderr })
  // What is asked goes to the server, and not back.
  return new Proxy(asked, {
    get: (target, name) => {
      if (name === 'end') return () => target
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as unknown as ClientChannel
}
