import { SCHEMAS_FOLDER } from './starter-settings.ts'

/** Contents of hosts, which are none of our documents. */
const ATTACHED = 'hosts/files/'

/** With a first line by which every editor that has the YAML language server finds the schema. */
export function withModelines(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = Object.entries(files).map(([path, text]) => [path, isDocument(path) ? `${modeline(path)}\n${text}` : text])
  return Object.fromEntries(named)
}

function isDocument(path: string): boolean {
  return path.endsWith('.yaml') && !path.startsWith(ATTACHED)
}

function modeline(path: string): string {
  return `# yaml-language-server: $schema=${'../'.repeat(path.split('/').length - 1)}${SCHEMAS_FOLDER}/nodewave.json`
}
