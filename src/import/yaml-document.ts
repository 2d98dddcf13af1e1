import { Document, isScalar, visit } from 'yaml'
import { REPO_API_VERSION } from '../repo/schema/common.ts'
import { KUBELET_API_VERSION, KUBELET_CONFIG_KIND } from '../repo/schema/kubelet-config.ts'
import type { JsonObject, Remark } from './subject.ts'

/** Columns of a comment. */
const WIDTH = 106

export interface DocumentOptions {
  readonly name: string
  readonly comments?: readonly string[]
}

export function repoDocument(kind: string, spec: object, options: DocumentOptions): string {
  return text({ apiVersion: REPO_API_VERSION, kind, metadata: { name: options.name }, spec }, options)
}

/** As the kubelet itself has it: it can be tried on a node. */
export function kubeletDocument(fields: JsonObject, options: DocumentOptions): string {
  return text(
    { apiVersion: KUBELET_API_VERSION, kind: KUBELET_CONFIG_KIND, metadata: { name: options.name }, ...fields },
    options,
  )
}

/** Each is an item of a list, with what to do on lines of its own. */
export function remarkLines(remarks: readonly Remark[]): string[] {
  if (remarks.length === 0) return []
  return ['nodewave import left these as they are:', ...remarks.map(({ what, why, remedy }) => `- ${what}: ${why}; ${remedy}.`)]
}

function text(value: object, { comments = [] }: DocumentOptions): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, node) => void (isScalar(node) && isVersion(node.value) && Object.assign(node, { type: 'QUOTE_DOUBLE' })),
  })
  const body = document.toString({ lineWidth: 0, blockQuote: 'literal', flowCollectionPadding: false })
  return commentText(comments) + body
}

/** Each on lines of its own. */
export function commentText(comments: readonly string[]): string {
  return comments
    .flatMap(folded)
    .map((line) => `# ${line}\n`)
    .join('')
}

/** In quotes as everywhere in the documentation: YAML would read 1.30 as a number. */
function isVersion(value: unknown): boolean {
  return typeof value === 'string' && /^\d[\d.]*$/.test(value)
}

/** Line breaks, which a command line may have in it, would end the comment; marks that turn the direction of text would hide a part. */
function folded(comment: string): string[] {
  const lines = ['']
  for (const word of comment.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length + 1 > WIDTH) lines.push(comment.startsWith('- ') ? `  ${word}` : word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
