/** The commands of a page of the documentation, run as they stand there, and how long each section took. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../exec.ts'
import type { Report } from '../scenario.ts'

export interface Section {
  readonly title: string
  /** What its blocks of `sh` say; blocks without a language are alternatives that nobody runs. */
  readonly commands: string
}

/** The sections of a page that have commands. */
export function sectionsOf(markdown: string): Section[] {
  return markdown.split(/^## /m).flatMap((text) => {
    const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands)
    return blocks.length === 0 ? [] : [{ title: text.slice(0, text.indexOf('\n')), commands: blocks.join('') }]
  })
}

export interface Workstation {
  /** Where the commands run. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** A person's machine: programs by name, which lead to what the test has in their place. */
export async function workstation(
  folder: string,
  programs: Readonly<Record<string, string>>,
  env: Record<string, string>,
): Promise<Workstation> {
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 })
  }
  return { folder, env: { ...env, HOME: folder, PATH: `${bin}:${process.env.PATH}` } }
}

/** Each section in a shell of its own, which ends at the first command that fails. @returns what each printed */
export async function followPage(
  sections: readonly Section[],
  { folder, env }: Workstation,
  { part }: Pick<Report, 'part'>,
): Promise<string[]> {
  const printed: string[] = []
  for (const { title, commands } of sections) {
    const script = join(folder, 'section.sh')
    await writeFile(script, commands)
    const options = { cwd: folder, env, timeoutMs: 600_000 }
    printed.push((await part(title, () => run('bash', ['-euo', 'pipefail', script], options))).stdout)
  }
  return printed
}
