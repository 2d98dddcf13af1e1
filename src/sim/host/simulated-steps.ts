import type { StepOutcome, StepRunner } from '../../agent/step-runner.ts'
import type { MemoryFiles } from './memory-files.ts'

/** Where `mark NAME` and `unmark NAME` write what they have done. */
const MARKS = '/srv/marks'

/** Commands of a simulated host: `/bin/mark NAME`, `/bin/unmark NAME`, `/bin/false`, `/bin/sleep`; each run is remembered. */
export class SimulatedSteps implements StepRunner {
  /** In the order in which they ended. */
  readonly ran: string[] = []
  readonly #files: MemoryFiles

  constructor(files: MemoryFiles) {
    this.#files = files
  }

  async run(argv: readonly string[], { timeoutSeconds }: { readonly timeoutSeconds: number }): Promise<StepOutcome> {
    const [program = '', name = ''] = argv
    this.ran.push(argv.join(' '))
    if (program === '/bin/mark') this.#files.put(`${MARKS}/${name}`, '')
    if (program === '/bin/unmark') await this.#files.remove(`${MARKS}/${name}`)
    if (program === '/bin/false') return { code: 1, timedOut: false, output: 'first line\nno such pool\n' }
    return { code: 0, timedOut: program === '/bin/sleep' && timeoutSeconds < Number(name), output: '' }
  }
}
