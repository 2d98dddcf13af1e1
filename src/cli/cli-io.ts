/** What a command sees of the process it runs in, so that tests run commands without one. */
export interface CliIo {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether stdout is a terminal that can be redrawn. */
  readonly isTTY: boolean
  /** Whether stderr is a terminal, on which a line may come and go. */
  readonly showsProgress: boolean
  /** Whether to colour what goes to stdout. */
  readonly color: boolean
  /** Columns of the terminal, which may change; 80 where there is none, or its size is unknown. */
  readonly columns: number
  /** Lines of the terminal, which may change; 24 where there is none, or its size is unknown. */
  readonly rows: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Ends with the process's exit code; the last one set counts. 0: nothing differs, 1: there are changes, 2: an error. */
  readonly exit: (code: ExitCode) => void
}

export type ExitCode = 0 | 1 | 2

/**
 * Who read the output has gone, as `head -1` does: that is no error. What would end by Ctrl-C ends as if by it, so that it is taken down
 * as it should be; everything else has nothing left to do.
 */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  if (!process.emit('SIGINT')) process.exit()
}

/** A terminal whose size is unknown says 0, as a serial console does; what is no terminal says nothing. */
export function terminalSize({ columns, rows }: { readonly columns?: number; readonly rows?: number }) {
  return { columns: columns || 80, rows: rows || 24 }
}

/** NO_COLOR and FORCE_COLOR have the last word, as on no-color.org. */
export function processIo(): CliIo {
  const { stdout, stderr, env } = process
  for (const stream of [stdout, stderr]) stream.on('error', endWithReader)
  const isTTY = stdout.isTTY === true
  return {
    stdout: (text) => void stdout.write(text),
    stderr: (text) => void stderr.write(text),
    cwd: process.cwd(),
    env,
    isTTY,
    showsProgress: stderr.isTTY === true && env.TERM !== 'dumb',
    color: env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : isTTY && !env.NO_COLOR && env.TERM !== 'dumb',
    get columns() {
      return terminalSize(stdout).columns
    },
    get rows() {
      return terminalSize(stdout).rows
    },
    now: Date.now,
    exit: (code) => {
      process.exitCode = code
    },
  }
}
