import { byText } from '../protocol/by-text.ts'
import type { RepoFile } from '../protocol/repo-snapshot.ts'
import type { LoadedDocument } from './interpret-document.ts'
import type { Kind, SpecOf } from './kinds.ts'
import { KINDS } from './kinds.ts'
import type { Doc } from './model.ts'
import type { Problem, ProblemReason } from './problem.ts'
import type { Path, Source } from './source.ts'

/** A document that is valid by itself; whether it fits the others is for the checks. */
export interface Loaded<Spec> extends Doc<Spec> {
  readonly source: Source
}

export type Documents = { readonly [K in Kind]: ReadonlyMap<string, Loaded<SpecOf<K>>> }

/** All that was read of a repository, before it is known to hold together. */
export interface Draft {
  readonly documents: Documents
  /** Names by kind, with those of invalid documents: what refers to them is not wrong as well. */
  readonly declared: Readonly<Record<Kind, ReadonlySet<string>>>
  /** Names of all Clusters of the repository, as far as they can be seen. */
  readonly clusters: ReadonlySet<string>
  readonly files: ReadonlyMap<string, RepoFile>
}

export interface Drafted {
  readonly draft: Draft
  readonly problems: readonly Problem[]
}

/** Sorts documents by kind and name; a name may be given once. */
export function draftOf(loaded: readonly LoadedDocument[], { files, clusters }: Pick<Draft, 'files' | 'clusters'>): Drafted {
  const kinds = Object.keys(KINDS) as Kind[]
  const grouped = kinds.map((kind) => [kind, group(kind, loaded)] as const)
  const entries = <T>(pick: (found: Group) => T) => Object.fromEntries(grouped.map(([kind, found]) => [kind, pick(found)]))
  return {
    draft: {
      documents: entries(({ valid }) => valid) as unknown as Documents,
      declared: entries(({ names }) => names) as Draft['declared'],
      ...{ files, clusters },
    },
    problems: grouped.flatMap(([, { problems }]) => problems),
  }
}

interface Group {
  readonly valid: ReadonlyMap<string, LoadedDocument>
  readonly names: ReadonlySet<string>
  readonly problems: readonly Problem[]
}

function group(kind: Kind, loaded: readonly LoadedDocument[]): Group {
  const first = new Map<string, LoadedDocument>()
  const problems: Problem[] = []
  for (const document of loaded) {
    if (document.kind !== kind) continue
    const other = first.get(identityOf(document))
    if (other) problems.push(duplicate(document, other))
    else first.set(identityOf(document), document)
  }
  const valid = [...first].filter(([, { spec }]) => spec !== undefined)
  return { valid: new Map(valid.sort(byText(([key]) => key))), names: new Set(first.keys()), problems }
}

/** There is one Fleet, whatever it is called. */
function identityOf({ kind, name }: LoadedDocument): string {
  return kind === 'Fleet' ? kind : name
}

function duplicate({ kind, name, source }: LoadedDocument, other: LoadedDocument): Problem {
  const { file, line } = other.source.where([])
  const message =
    kind === 'Fleet'
      ? `a second Fleet; the first is in ${file}:${line}`
      : `a ${kind} named "${name}" is already in ${file}:${line}`
  return { severity: 'error', reason: 'DuplicateName', at: source.where([]), message }
}

/** An error at a path within a document's spec. */
export function errorAt(
  { source }: Loaded<unknown>,
  path: Path,
  {
    reason,
    message,
    remedy,
    part = 'value',
  }: { reason: ProblemReason; message: string; remedy?: string | undefined; part?: 'key' | 'value' },
): Problem {
  return { severity: 'error', reason, at: part === 'key' ? source.whereKey(path) : source.where(path), message, remedy }
}
