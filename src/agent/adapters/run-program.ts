import { type ChildProcess, execFile } from 'node:child_process'
import { whenOver } from './when-over.ts'

export interface Outcome {
  /** Exit code; -1 when it was killed by a signal or by the timeout. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

/** Programs get no environment of ours beyond this: output must not depend on a locale, and secrets must not travel. */
export const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  SYSTEMD_PAGER: '',
  SYSTEMD_COLORS: '0',
}

export interface RunOptions {
  readonly timeout?: number
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /**
   * Whether stdout, of which it gets the end, is complete. What the program started may write on after it has exited: it is read until
   * then, and no longer than the timeout.
   */
  readonly until?: (stdout: string) => boolean
}

/**
 * Runs a program without a shell and waits for its end.
 * @param options.timeout milliseconds, after which it is killed
 * @param options.env besides what every program gets
 * @param options.signal kills it as well
 * @param options.until when there is no more to wait for; otherwise, when it exits
 * @throws when it cannot be started at all
 */
export function runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const settings = {
    env: { ...ENVIRONMENT, ...options.env },
    timeout: options.timeout ?? 30_000,
    killSignal: 'SIGKILL' as const,
    maxBuffer: 8 * 1024 * 1024,
    ...(options.signal && { signal: options.signal }),
  }
  return new Promise((resolve, reject) => {
    const child = execFile(program, [...args], settings, (error, stdout, stderr) => {
      if (error === null) return resolve({ code: 0, stdout, stderr, timedOut: false })
      if (typeof error.code === 'string') return reject(new Error(`run "${program}": ${error.message}`, { cause: error }))
      resolve({ code: error.code ?? -1, stdout, stderr, timedOut: error.killed === true })
    })
    whenOver(child, options.until, () => readWhatIsLeft(child))
  })
}

/** Milliseconds. */
const LONGEST_DRAIN = 2000

/** A daemon that the program has started may keep its output open for ever. */
function readWhatIsLeft(child: ChildProcess): void {
  const drain = setTimeout(() => {
    child.stdout?.destroy()
    child.stderr?.destroy()
  }, LONGEST_DRAIN)
  child.on('close', () => clearTimeout(drain))
}
