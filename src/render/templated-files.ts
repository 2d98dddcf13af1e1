import type { HostDocument, HostFile } from '../protocol/host-document.ts'
import type { FleetModel } from '../repo/model.ts'
import type { LayerSubject } from './layers.ts'
import { fileLayers, hostFile } from './render-host.ts'
import type { Origin } from './render-problem.ts'
import { fillTemplates } from './templates.ts'

/** A file whose text takes facts from the node. */
export interface TemplatedFile {
  readonly file: HostFile
  /** Of the text. */
  readonly origin: Origin
}

/** Of the files that count: one that an override replaces asks nothing of the node. */
export function templatedFiles(model: FleetModel, subject: LayerSubject): TemplatedFile[] {
  const last = new Map(fileLayers(model, subject).map((layer) => [layer.value.path, layer]))
  return [...last.values()]
    .filter(({ value }) => value.template)
    .map(({ doc, path, value }) => ({
      file: hostFile(model, value),
      origin: { doc, path: [...path, value.from === undefined ? 'content' : 'from'] },
    }))
}

/** The document with the facts of one node in the text of these files. */
export function fillHost(
  { document, paths }: { readonly document: HostDocument; readonly paths: ReadonlySet<string> },
  resolved: ReadonlyMap<string, string>,
): HostDocument {
  const filled = (file: HostFile): HostFile =>
    file.content === undefined || !paths.has(file.path) ? file : { ...file, content: fillTemplates(file.content, resolved) }
  return { ...document, files: document.files?.map(filled) }
}
