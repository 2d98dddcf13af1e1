import type { NodeContent } from '../../protocol/digest.ts'
import { type HostDocument, parseExtendedHostDocument } from '../../protocol/host-document.ts'
import { withSecrets } from '../../protocol/secret-document.ts'
import { AgentError, asAgentError } from '../agent-error.ts'
import { joinManaged, type Managed } from '../state/managed.ts'
import type { Resource, SectionPlace } from './kind.ts'
import type { Kinds } from './kinds.ts'

/** A host document with whatever sections the kinds of this agent have. */
export type ReadableDocument = HostDocument & { readonly [section: string]: unknown }

/** No kind's: they say how the rest is applied. */
const OWN_KEYS = ['kubelet', 'rebootOn', 'drift', 'steps']

/**
 * Half of a host document is not what anybody asked for: a section that no kind of this agent reads makes it refuse the whole.
 * @throws {AgentError} naming the sections; the host stays as it is.
 */
export function readDocument({ host, secret }: Pick<NodeContent, 'host' | 'secret'>, kinds: Kinds): ReadableDocument {
  const document = host === undefined ? {} : parse(host, kinds)
  const unread = Object.entries(document)
    .filter(([key, value]) => !OWN_KEYS.includes(key) && !kinds.sections.has(key) && !isEmpty(value))
    .map(([key]) => key)
  if (unread.length === 0) return filledIn(document, secret)
  throw new AgentError(`apply the host document: this agent has no ${unread.join(', ')}; remove them, or upgrade the agent`, {
    kind: 'validate',
    reason: 'UnsupportedHostResource',
  })
}

/** What the sections of a document manage. */
export async function managedByDocument(
  document: ReadableDocument,
  { kinds, place }: { readonly kinds: Kinds; readonly place: SectionPlace },
): Promise<Managed> {
  const parts: Managed[] = []
  for (const { section, value } of presentSections(document, kinds)) parts.push(await section.managed(value, place))
  return joinManaged(parts)
}

export async function documentResources(
  document: ReadableDocument,
  { kinds, place }: { readonly kinds: Kinds; readonly place: SectionPlace },
): Promise<Resource[]> {
  const resources: Resource[] = []
  for (const { section, value } of presentSections(document, kinds))
    resources.push(...(await section.resources(value, place.files, place)))
  return resources
}

/** The schema of each section has checked its value. */
function presentSections(document: ReadableDocument, kinds: Kinds) {
  return [...kinds.sections]
    .filter(([key]) => document[key] !== undefined)
    .map(([key, section]) => ({ section, value: document[key] as never }))
}

function parse(text: string, kinds: Kinds): ReadableDocument {
  try {
    return parseExtendedHostDocument(text, Object.fromEntries([...kinds.sections].map(([key, { schema }]) => [key, schema])))
  } catch (error) {
    throw asAgentError(error, { kind: 'load', reason: 'MalformedHostDocument' })
  }
}

function filledIn(document: ReadableDocument, secret: string | undefined): ReadableDocument {
  if (document.files === undefined) return document
  try {
    return { ...document, files: withSecrets(document.files, secret) }
  } catch (error) {
    throw asAgentError(error, { kind: 'load', reason: 'MalformedSecretDocument' })
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}
