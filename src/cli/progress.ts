import type { CliIo } from './cli-io.ts'

/** Milliseconds. */
const SILENT_FOR = 2_000
const AGAIN_AFTER = 200
/** Back to the beginning of the line, and away with what stands there. */
const ERASE = '\r\u001b[K'

/** One line on the terminal about work that takes long. */
export interface Progress {
  /** How far it is; shown from the third second on, and not more often than one can read. */
  readonly tell: (text: string) => void
  /** The line is gone: what was worked for comes in its place. */
  readonly end: () => void
}

/** On stderr, and only where that is a terminal: what is piped or kept in a log stays as it is. */
export function progressOn(io: Pick<CliIo, 'stderr' | 'showsProgress' | 'now' | 'columns'>): Progress {
  let next = io.now() + SILENT_FOR
  let isShown = false
  return {
    tell(text) {
      const now = io.now()
      if (!io.showsProgress || now < next) return
      next = now + AGAIN_AFTER
      isShown = true
      io.stderr(`${ERASE}${text.slice(0, io.columns - 1)}`)
    },
    end() {
      if (isShown) io.stderr(ERASE)
      isShown = false
    },
  }
}
