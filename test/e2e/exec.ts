/** Run programs: arguments are always a list, never a line for a shell. */
import { spawn } from 'node:child_process'

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Text for standard input; without it standard input is empty. */
  readonly input?: string
  /** Resolve whatever the exit code is, instead of throwing. */
  readonly allowFailure?: boolean
  /** Kill the program after so many milliseconds. */
  readonly timeoutMs?: number
  /** Ends the program when aborted. */
  readonly signal?: AbortSignal
}

export interface RunResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Run `command` to its end and give back what it wrote; throws with its last words when it fails. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' as const }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.stdin.on('error', () => undefined) // a program may end without reading its input
    child.stdin.end(options.input ?? '')
    child.on('error', (cause) => reject(new Error(`run "${command}": ${cause.message}`, { cause })))
    child.on('close', (code, signal) => {
      const result = { code: code ?? 128, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }
      if (result.code === 0 || options.allowFailure) return resolve(result)
      const words = (result.stderr || result.stdout).trim().split('\n').slice(-15).join('\n')
      reject(new Error(`run "${[command, ...args].join(' ').slice(0, 300)}": ended with ${signal ?? result.code}\n${words}`))
    })
  })
}

/** With one blank between words, for what is looked for in it: text for people stands in columns. */
export function unfolded({ stdout, ...result }: RunResult): RunResult {
  return { ...result, stdout: stdout.replaceAll(/\s+/g, ' ') }
}

/** The trimmed standard output of a program that must succeed. */
export async function output(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return (await run(command, args, options)).stdout.trim()
}
