/**
 * Writes src/repo/kubelet-knowledge/generated/knowledge.json: what each kubelet minor knows of configuration fields, flags and
 * feature gates, and which values it takes; and test/repo/kubelet-knowledge/verdicts.json: what each says of the questions that
 * stand there. Needs Go and its module proxy; compiles dump.go against every version, one at a time. Run again when a minor comes
 * out, after adding it to VERSIONS:
 *
 *     node scripts/kubelet-knowledge/generate.ts [DIRECTORY]
 *
 * DIRECTORY keeps the programs, so that one already there is not compiled again.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Question } from '../../test/repo/kubelet-knowledge/questions.ts'
import { combine, type Knowledge } from './combine.ts'
import { kubeletProgram, WITH_EVICTION } from './program.ts'

const VERSIONS = ['1.31.14', '1.32.13', '1.33.13', '1.34.4', '1.35.4', '1.36.3']
const ROOT = join(import.meta.dirname, '../..')

const directory = process.argv[2] ?? join(tmpdir(), 'nodewave-kubelet-knowledge')
const programs = VERSIONS.map((version) => [version, kubeletProgram(version, directory)] as const)
const known = new Map(programs.map(([version, program]) => [version, JSON.parse(run(program, [])) as Knowledge]))
writeFileSync(join(ROOT, 'src/repo/kubelet-knowledge/generated/knowledge.json'), combine(known))

// Which fields there are to ask about stands in what was just written.
const { ask, EVICTION, QUESTIONS } = await import('../../test/repo/kubelet-knowledge/questions.ts')
const later = programs.filter(([version]) => WITH_EVICTION.includes(version))
writeFileSync(
  join(ROOT, 'test/repo/kubelet-knowledge/verdicts.json'),
  [
    '{"generated": "by scripts/kubelet-knowledge/generate.ts: questions, and the kubelets that refuse to start with each",',
    `"rows": [\n${rowsOf(QUESTIONS, programs).join(',\n')}\n],`,
    `"eviction": {"asked": ${JSON.stringify(later.map(([version]) => version))}, "rows": [\n${rowsOf(EVICTION, later).join(',\n')}\n]}}\n`,
  ].join('\n'),
)

function rowsOf(questions: readonly Question[], asked: typeof programs): readonly string[] {
  const answers = asked.map(
    ([version, program]) => [version, ask(questions, (input) => run(program, ['verdicts'], input))] as const,
  )
  const refusedBy = (index: number) => answers.flatMap(([version, texts]) => (texts[index] === '' ? [] : [version]))
  return questions.map((question, index) => JSON.stringify([question, refusedBy(index)]))
}

function run(program: string, args: readonly string[], input = ''): string {
  return execFileSync(program, args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 64 * 1024 * 1024 })
}
