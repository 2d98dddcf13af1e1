import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SCHEMAS_FOLDER } from './starter-settings.ts'

/** Of the package, also when it is built into `dist/`. */
const PACKAGE = join(import.meta.dirname, '../../..')

export const FORGES = ['github', 'gitlab', 'gitea'] as const
export type CiForge = (typeof FORGES)[number]

const CI_FILES: Readonly<Record<CiForge, { readonly example: string; readonly path: string }>> = {
  github: { example: 'github/plan.yml', path: '.github/workflows/plan.yml' },
  gitlab: { example: 'gitlab/plan.gitlab-ci.yml', path: '.gitlab-ci.yml' },
  gitea: { example: 'gitea/plan.yml', path: '.gitea/workflows/plan.yml' },
}

/** The JSON schemas of the whole language, for any kubelet and for each version, by their paths in the new repository. */
export async function schemaFiles(): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(join(PACKAGE, 'schemas'))).filter((name) => name.startsWith('nodewave')).sort()
  const texts = names.map(async (name) => [`${SCHEMAS_FOLDER}/${name}`, await readFile(join(PACKAGE, 'schemas', name), 'utf8')])
  return Object.fromEntries(await Promise.all(texts))
}

/** The CI file of the examples. There the fleet is in the folder `fleet`; a new repository has it at its top. */
export async function ciFile(forge: CiForge): Promise<Readonly<Record<string, string>>> {
  const { example, path } = CI_FILES[forge]
  const text = await readFile(join(PACKAGE, 'examples/ci', example), 'utf8')
  return { [path]: text.replace('folder: fleet\n', 'folder: .\n').replace('nodewave plan fleet ', 'nodewave plan . ') }
}
