import type { problemsToJson } from './problems-json.ts'

/** A fleet that a command cannot use. The message says how many errors there are, the text shows each. */
export class InvalidFleetError extends Error {
  override readonly name = 'InvalidFleetError'
  readonly text: string
  readonly problems: ReturnType<typeof problemsToJson>
  constructor(message: string, { text, problems }: Pick<InvalidFleetError, 'text' | 'problems'>) {
    super(message)
    this.text = text
    this.problems = problems
  }
}
