import { CommanderError } from 'commander'
import type { CliIo } from '../cli-io.ts'
import { asDocument } from '../documents.ts'
import { errorText } from '../error-text.ts'
import { InvalidFleetError } from '../invalid-fleet-error.ts'
import { askedFormat } from './asked-format.ts'

/** For people on stderr; with `-o json` and `-o yaml` also for programs on stdout, unless the command has printed there. */
export class ErrorReport {
  #hasPrinted = false
  readonly #io: CliIo
  readonly #format: 'json' | 'yaml' | undefined

  constructor(io: CliIo, args: readonly string[]) {
    this.#io = io
    this.#format = askedFormat(args)
  }

  /** Of the command whose errors are reported. */
  watched(): CliIo {
    const io = this.#io
    return {
      ...io,
      stdout: (text) => {
        this.#hasPrinted = true
        io.stdout(text)
      },
      get columns() {
        return io.columns
      },
      get rows() {
        return io.rows
      },
    }
  }

  tell(error: unknown): void {
    // The parser of arguments has printed its own errors.
    if (!(error instanceof CommanderError)) this.#io.stderr(textOf(error))
    if (this.#format !== undefined && !this.#hasPrinted) this.#io.stdout(asDocument(errorToJson(error), this.#format))
  }
}

function textOf(error: unknown): string {
  return error instanceof InvalidFleetError ? error.text : `error: ${errorText(error)}\n`
}

/** The entries are those of `validate -o json`. */
function errorToJson(error: unknown) {
  const message = error instanceof CommanderError ? error.message.replace(/^error: /, '') : errorText(error)
  return { error: message, problems: error instanceof InvalidFleetError ? error.problems : [] }
}
