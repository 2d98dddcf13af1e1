import type { CliIo, ExitCode } from '../cli/cli-io.ts'
import { runProgram } from '../cli/program.ts'

/** Runs a command of ours as a person would, and keeps what it prints. */
export async function capture(args: readonly string[], io: CliIo): Promise<{ readonly code: ExitCode; readonly output: string }> {
  let output = ''
  let code: ExitCode = 0
  const keep = (text: string): void => {
    output += text
  }
  await runProgram(args, { ...io, stdout: keep, stderr: keep, isTTY: false, exit: (last) => (code = last) })
  return { code, output }
}
