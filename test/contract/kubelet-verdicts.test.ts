/** Random configurations, judged by `validate` and by the kubelet's own code, which is compiled here from Go's module proxy. */
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { kubeletProgram } from '../../scripts/kubelet-knowledge/program.ts'
import { knowledgeOf } from '../../src/repo/kubelet-knowledge/knowledge.ts'
import { KNOWN_VERSIONS } from '../../src/repo/kubelet-knowledge/versions.ts'
import { judged } from '../repo/kubelet-knowledge/judged.ts'
import { ask, EVICTION, QUESTIONS, type Question } from '../repo/kubelet-knowledge/questions.ts'

const VERSION = KNOWN_VERSIONS.at(-1) ?? ''
const COUNT = 5000
const COMPILE_AND_ASK = 15 * 60_000

test.runIf(process.env.NODEWAVE_CONTRACT === 'real')(
  'validate says of random configurations what the newest kubelet says',
  () => {
    const program = kubeletProgram(VERSION, join(tmpdir(), 'nodewave-kubelet-knowledge'))
    const run = (input: string) =>
      execFileSync(program, ['verdicts'], { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 2 ** 28 })
    const questions = fc.sample(combined([...QUESTIONS, ...EVICTION]), { numRuns: COUNT, seed: 20261122 })
    const answers = ask(questions, run)
    const differing = questions.flatMap((question, index) => {
      const found = judged(question, VERSION)
      return found === 'stricter' || found.length > 0 === (answers[index] !== '')
        ? []
        : [{ question, kubelet: answers[index], found }]
    })
    expect(differing).toEqual([])
  },
  COMPILE_AND_ASK,
)

/** Several questions as one; later ones win. A flag over a field is left out: it hides a value that is refused all the same. */
function combined(questions: readonly Question[]): fc.Arbitrary<Question> {
  const some = fc.array(fc.constantFrom(...questions), { minLength: 2, maxLength: 4 })
  return some.map((parts) => {
    const config = Object.assign({}, ...parts.map((part) => part.config))
    const flags = Object.entries(Object.assign({}, ...parts.map((part) => part.flags)) as NonNullable<Question['flags']>)
    return { config, flags: Object.fromEntries(flags.filter(([name]) => !Object.hasOwn(config, fieldOf(name)))) }
  })
}

function fieldOf(flag: string): string {
  return knowledgeOf(VERSION).flags.get(flag)?.field.split('.')[0] ?? ''
}
