import { HOST_SECTIONS, type HostRepository } from '../../protocol/host-document.ts'
import { aptSourcesFile } from '../../protocol/names.ts'
import { sha256Of } from '../sha256.ts'
import { defineKind } from './define-kind.ts'
import { giveBackFile } from './file.ts'
import { type FileBaseline, fileBaselines, recaptureUnless } from './file-baseline.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { CaptureContext, Kind, Section } from './kind.ts'
import { readRegular } from './regular-file.ts'

export interface RepositorySpec {
  readonly path: string
  readonly text: string
}

const section: Section = {
  key: 'repositories',
  schema: HOST_SECTIONS.repositories,
  managed: (repositories: readonly HostRepository[]) => ({
    claims: specsOf(repositories).map(({ path }) => ({ kind: 'repository', key: path })),
    triggers: [],
  }),
  resources: async (repositories: readonly HostRepository[]) => specsOf(repositories).map((spec) => repository.of(spec)),
}

/** One file, its key in it: packages of the same change are solved with it before it is there. */
export const repository: Kind<RepositorySpec> = defineKind({
  name: 'repository',
  ...fileHands,
  section,
  subject: ({ path }: RepositorySpec) => path,
  observe: async ({ path }, { files }) => readRegular(files, path),
  differ: ({ path, text }, actual): FileChange | undefined => {
    const bytes = Buffer.from(text)
    if (actual !== undefined && Buffer.compare(actual.bytes, bytes) === 0 && actual.stat.mode === MODE) return undefined
    return { do: 'write', path, bytes, mode: MODE }
  },
  // Before the packages, which come before files.
  order: () => -3,
  baseline: { ...fileBaselines, giveBack: giveBackFile, recapture },
})

const MODE = 0o644

function recapture(
  base: FileBaseline,
  { spec, context }: { readonly spec: RepositorySpec; readonly context: CaptureContext },
): Promise<FileBaseline> {
  return recaptureUnless(base, { isOurs: (sha256) => sha256 === sha256Of(Buffer.from(spec.text)), context })
}

function specsOf(repositories: readonly HostRepository[]): RepositorySpec[] {
  return repositories.flatMap(({ name, apt }) => (apt === undefined ? [] : [{ path: aptSourcesFile(name), text: deb822(apt) }]))
}

/** Pure: a source in the format of sources.list(5), with the key in it, which apt reads from version 2.4 on. */
export function deb822({ url, suite, components = [], architectures = [], key }: NonNullable<HostRepository['apt']>): string {
  const optional = (field: string, values: readonly string[]) => (values.length === 0 ? [] : [`${field}: ${values.join(' ')}`])
  return [
    '# Written by nodewave; changes are undone.',
    'Types: deb',
    `URIs: ${url}`,
    `Suites: ${suite}`,
    ...optional('Components', components),
    ...optional('Architectures', architectures),
    'Signed-By:',
    // An empty line would end the entry.
    ...key
      .trimEnd()
      .split('\n')
      .map((line) => (line.trim() === '' ? ' .' : ` ${line.trimEnd()}`)),
    '',
  ].join('\n')
}
