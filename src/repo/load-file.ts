import type { Document } from 'yaml'
import { type ClusterRevision, isPatched } from './clusters/cluster-revision.ts'
import { mentionsVariables } from './clusters/fill-variables.ts'
import { type RevisedDocument, reviseDocument } from './clusters/revise-document.ts'
import { type Interpreted, identityOf, interpretDocument } from './interpret-document.ts'
import { MAX_ISSUES, MAX_YAML_BYTES, plainValue, yamlIssues } from './parse-yaml.ts'
import { type Place, type Problem, wholeFile } from './problem.ts'
import { sourceOf, withinDocument, YamlText } from './source.ts'
import { turnedText } from './turned-text.ts'

/** Everything that can be said of one file without looking at another. @param revision what a Cluster makes of it */
export function loadFile(file: string, bytes: Uint8Array, revision?: ClusterRevision): Interpreted {
  if (bytes.byteLength > MAX_YAML_BYTES)
    return unreadable(file, `expected at most ${MAX_YAML_BYTES} bytes of YAML; the file has ${bytes.byteLength}`)
  const text = decode(bytes)
  if (text === undefined) return unreadable(file, 'expected UTF-8 text')
  const yaml = new YamlText(file, text)
  const conflict = CONFLICT.exec(text)
  if (conflict) return failed([conflictAt(yaml.place([conflict.index, conflict.index + conflict[0].length]))])
  const hasVariables = mentionsVariables(text)
  const loaded = yaml.parsed.documents.map((document, index) => loadDocument(yaml, document, { index, revision, hasVariables }))
  const turned = turnedText(yaml)
  yaml.forget()
  return {
    documents: loaded.flatMap(({ documents }) => documents),
    problems: [...loaded.flatMap(({ problems }) => problems), ...turned].slice(0, MAX_ISSUES),
  }
}

interface Reading {
  /** Of the document in its file. */
  readonly index: number
  readonly revision: ClusterRevision | undefined
  /** The file has references to variables of a Cluster. */
  readonly hasVariables: boolean
}

function loadDocument(yaml: YamlText, document: Document.Parsed, { index, revision, hasVariables }: Reading): Interpreted {
  const issues = yamlIssues(document, yaml.text)
  if (issues.length > 0)
    return failed(issues.map(({ range, ...rest }) => ({ severity: 'error', at: yaml.place(range), ...rest })))
  const whole = sourceOf(yaml, index, (path) => path)
  try {
    const value = plainValue(document)
    if (value === null) return failed([])
    const identity = revision && identityOf(value)
    if (revision && identity && (hasVariables || isPatched(identity, revision)))
      return interpretRevised(reviseDocument({ ...identity, value, whole }, revision))
    return interpretDocument(value, whole, (toDocument) => sourceOf(yaml, index, toDocument))
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    return failed([
      {
        severity: 'error',
        reason: 'MalformedYaml',
        at: whole.where([]),
        message: `cannot resolve the aliases: ${error.message}`,
      },
    ])
  }
}

function interpretRevised({ value, whole, problems }: RevisedDocument): Interpreted {
  const found = interpretDocument(value, whole, (toDocument) => withinDocument(whole, toDocument))
  if (problems.length === 0) return found
  return { documents: found.documents.map(({ kind, name, source }) => ({ kind, name, source })), problems }
}

/** The line that Git begins the sides of a conflict with: as YAML, it gives a dozen errors and none that says so. */
const CONFLICT = /^<{7} .*$/m

function conflictAt(at: Place): Problem {
  const message = 'an unresolved merge conflict starts here'
  return {
    severity: 'error',
    reason: 'MalformedYaml',
    at,
    message,
    remedy: 'resolve it, and remove the markers',
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function unreadable(file: string, message: string): Interpreted {
  return failed([{ severity: 'error', reason: 'UnreadableFile', at: wholeFile(file), message }])
}

function failed(problems: readonly Problem[]): Interpreted {
  return { documents: [], problems }
}
