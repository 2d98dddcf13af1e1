/** A command that runs beside a server that this process started, and takes down after it. */
import { spawn } from 'node:child_process'

/**
 * Runs what `main` does and ends with its code. The command gets the terminal's signals too and ends by them; what must happen
 * here is the end of the server after it, so this process outlives them.
 */
export async function runAsProgram(main: () => Promise<number>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  try {
    process.exitCode = await main()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}

/** Gives its exit code; 128 when a signal ended it. @param env besides this process's own */
export function runCommand(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 128))
  })
}
