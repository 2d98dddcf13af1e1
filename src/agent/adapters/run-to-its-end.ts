import { spawn } from 'node:child_process'
import { ENVIRONMENT, type Outcome, type RunOptions } from './run-program.ts'

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
  const { timeout = 30_000, env } = options
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
      killGroup(child.pid)
    }, timeout)
    child.on('error', ({ message }) => {
      clearTimeout(timer)
      resolve({ code: NO_PROGRAM, stdout: '', stderr: message, timedOut: false })
    })
    child.on('exit', () => {
      clearTimeout(timer)
      killGroup(child.pid)
      drain = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, LONGEST_DRAIN)
    })
    child.on('close', (code) => {
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
