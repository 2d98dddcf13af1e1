import { scanAssignments, type VariableAssignment } from './environment-scanner.ts'
import { unrepresentableIn } from './flag-string.ts'
import { ProtocolError } from './protocol-error.ts'

/*
 * Files that systemd reads by `EnvironmentFile=`, such as `/etc/default/kubelet`. They belong to the machine's administrator: we set
 * our variables and leave every other byte where it is, so texts are handled as bytes (latin1) until a value is asked for.
 */

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Variables by name, as systemd would hand them to a service: unquoted; where one is assigned twice, the last counts. */
export function readEnvironmentFile(bytes: Uint8Array): Map<string, string> {
  return new Map(scanAssignments(asLatin1(bytes)).map(({ name, value }) => [fromLatin1(name), fromLatin1(value)]))
}

/**
 * Sets variables, or removes those given as undefined; every other byte stays. A variable that has the value already is left as it is
 * written; one that is assigned more than once is set where it counts, at its last; a new one comes at the end, in the order given.
 * What is written means the same to systemd and to a shell that sources the file.
 * @throws {ProtocolError} when a name or value cannot stand in such a file, or when the file ends inside a quote.
 */
export function patchEnvironmentFile(bytes: Uint8Array, changes: Readonly<Record<string, string | undefined>>): Uint8Array {
  let text = asLatin1(bytes)
  for (const [name, value] of Object.entries(changes)) {
    text = value === undefined ? withoutVariable(text, name) : withVariable(text, name, value)
  }
  return Buffer.from(text, 'latin1')
}

function withVariable(text: string, name: string, value: string): string {
  const quoted = quoteValue(name, value)
  const found = lastOf(text, name)
  if (found === undefined) return withLine(text, name, `${name}=${quoted}\n`)
  if (fromLatin1(found.value) === value) return text
  return text.slice(0, found.valueStart) + quoted + text.slice(found.valueEnd)
}

/** A file may end without a line break, or in a backslash that would swallow one: as many are put between as the line needs to count. */
function withLine(text: string, name: string, line: string): string {
  const joined = ['', '\n', '\n\n'].map((gap) => text + gap + line).find((candidate) => lastOf(candidate, name) !== undefined)
  if (joined === undefined)
    throw new ProtocolError(`append ${name} to the environment file: it ends inside a quote that is never closed`)
  return joined
}

function withoutVariable(text: string, name: string): string {
  return scanAssignments(text)
    .filter((assignment) => assignment.name === name)
    .reduceRight((rest, { start, valueEnd }) => rest.slice(0, start) + rest.slice(valueEnd).replace(/^(?:\r\n|\n|\r)/, ''), text)
}

function lastOf(text: string, name: string): VariableAssignment | undefined {
  return scanAssignments(text).findLast((assignment) => assignment.name === name)
}

function quoteValue(name: string, value: string): string {
  if (!NAME.test(name)) throw new ProtocolError(`set variable "${name}": a name has letters, digits and underscores only`)
  const culprit = unrepresentableIn(value)
  if (culprit !== undefined)
    throw new ProtocolError(
      `set variable ${name} to ${JSON.stringify(value)}: an environment file cannot carry the character ${culprit}`,
    )
  return `"${asLatin1(Buffer.from(value)).replace(/["\\`$]/g, '\\$&')}"`
}

function asLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

function fromLatin1(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8')
}
