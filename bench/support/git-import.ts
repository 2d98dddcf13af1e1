import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** The files that a commit writes, by path. */
export type Written = Readonly<Record<string, string>>

/** Commits one after the other to `main`, by one process and as one pack. @returns their ids, in their order */
export async function importCommits(gitdir: string, commits: Iterable<Written>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-bench-'))
  try {
    const marks = join(folder, 'marks')
    const git = spawn('git', ['-C', gitdir, 'fast-import', '--quiet', `--export-marks=${marks}`], {
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    const closed = once(git, 'close')
    await pipeline(streamOf(commits), git.stdin)
    const [code] = await closed
    if (code !== 0) throw new Error(`git fast-import ended with ${code}`)
    return idsIn(await readFile(marks, 'utf8'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function* streamOf(commits: Iterable<Written>): Generator<string> {
  let mark = 0
  for (const files of commits) {
    mark += 1
    yield `commit refs/heads/main\nmark :${mark}\ncommitter bench <bench@nodewave.invalid> ${1_700_000_000 + mark} +0000\n`
    yield data(`commit ${mark}`)
    if (mark > 1) yield `from :${mark - 1}\n`
    for (const [path, text] of Object.entries(files)) yield `M 100644 inline ${path}\n${data(text)}`
  }
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}

function idsIn(marks: string): string[] {
  const pairs = marks
    .trim()
    .split('\n')
    .map((line) => line.slice(1).split(' '))
  return pairs.sort(([a], [b]) => Number(a) - Number(b)).map(([, id = '']) => id)
}
