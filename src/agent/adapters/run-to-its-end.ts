import { spawn } from 'node:child_process'
import { ENVIRONMENT, type Outcome, type RunOptions } from './run-program.ts'
import { whenOver } from './when-over.ts'

/** Characters of each stream that are kept, from its end. */
const MOST_KEPT = 65_536
/** Milliseconds for what is in the pipes when a program has ended. A daemon with a session of its own may hold them for ever. */
const LONGEST_DRAIN = 1000
/** As shells say that there is no such program. */
const NO_PROGRAM = 127

/**
 * Runs a program of the host's owner, which may do anything: print without end, leave children behind, end by a signal, or not be there.
 * All that it started in its own session ends with it.
 */
export function runToItsEnd(program: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { timeout = 30_000, env, until } = options
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      ...{ env: { ...ENVIRONMENT, ...env }, cwd: '/', detached: true },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [stdout, stderr] = [keepEnd(child.stdout), keepEnd(child.stderr)]
    let timedOut = false
    let drain: NodeJS.Timeout | undefined
    const timer = setTimeout(() => {
      timedOut = true
      // When it has exited, what is awaited does not come, and its id may be another's.
      if (child.exitCode === null) killGroup(child.pid)
      else close()
    }, timeout)
    const close = (): void => {
      child.stdout.destroy()
      child.stderr.destroy()
    }
    child.on('error', ({ message }) => {
      clearTimeout(timer)
      resolve({ code: NO_PROGRAM, stdout: '', stderr: message, timedOut: false })
    })
    child.on('exit', () => killGroup(child.pid))
    whenOver(child, until, () => {
      clearTimeout(timer)
      drain = setTimeout(close, LONGEST_DRAIN)
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      clearTimeout(drain)
      resolve({ code: code ?? -1, stdout: stdout(), stderr: stderr(), timedOut })
    })
  })
}

function keepEnd(stream: NodeJS.ReadableStream): () => string {
  let kept = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    kept = `${kept}${text}`.slice(-MOST_KEPT)
  })
  return () => kept
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}
