/** A manifest of deploy/ as a template of Helm: the same objects, with values where the list of places has them. */
import { type Document, isSeq, parseAllDocuments } from 'yaml'
import type { Form, ManifestFile, Place } from './places.ts'

/** The namespace of the release: Helm makes it, or it is there. */
const RELEASE_NAMESPACE = 'nodewave-system'

/** As the API server reads it: 0440 is octal. */
const KUBERNETES_YAML = '1.1'

export function templateOf(text: string, { when, stays = false, places = [] }: ManifestFile): string {
  const documents = parseAllDocuments(escaped(text), { version: KUBERNETES_YAML }).map((document) => document as Document)
  const open = new Set(places)
  const marks: Form[] = []
  const texts = documents.map((document) => {
    for (const place of places.filter((each) => isOf(document, each))) {
      setMark(document, place.path, markAt(marks.push(place.form) - 1))
      open.delete(place)
    }
    return kept(
      document,
      { stays },
      marks.reduce(replaceMark, document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd()),
    )
  })
  if (open.size > 0) throw new Error(`chart: no object has ${[...open].map(({ path }) => path.join('.')).join(', ')}`)
  const all = `${texts.join('\n---\n')}\n`
  return when === undefined ? all : `{{- if ${anyOf(when)} }}\n${all}{{- end }}\n`
}

function anyOf(values: readonly string[]): string {
  const all = values.map((value) => `.Values.${value}`).join(' ')
  return values.length === 1 ? all : `or ${all}`
}

/** Braces of the manifests' own, as alert rules have them, are no expressions of the chart. */
function escaped(text: string): string {
  return text.replaceAll(/\{\{|\}\}/g, (braces) => `{{ "${braces}" }}`)
}

function isOf(document: Document, { kind, name }: Place): boolean {
  return document.get('kind') === kind && document.getIn(['metadata', 'name']) === name
}

const markAt = (index: number) => `chart-value-${index}-`

function setMark(document: Document, path: Place['path'], mark: string): void {
  const parent = document.getIn(path.slice(0, -1))
  if (isSeq(parent) && path.at(-1) === Number.POSITIVE_INFINITY) parent.add(mark)
  else document.setIn(path, mark)
}

/** The mark stands alone in its line, or after a key or the dash of an item. */
function replaceMark(text: string, form: Form, index: number): string {
  const line = new RegExp(`^( *)(.*?)${markAt(index)}$`, 'm')
  return text.replace(line, (_, indent: string, before: string) => written(form, indent, before))
}

function written(form: Form, indent: string, before: string): string {
  switch (form.write) {
    case 'scalar':
      return `${indent}${before}{{ ${form.expression} }}`
    case 'option':
      return [
        `${indent}{{- with .Values.${form.value} }}`,
        `${indent}${before}{{ printf "${form.format}" . | quote }}`,
        `${indent}{{- end }}`,
      ].join('\n')
    case 'block':
      return [
        `${indent}{{- with .Values.${form.value} }}`,
        `${indent}${before.trimEnd()} {{- toYaml . | nindent ${indent.length + 2} }}`,
        `${indent}{{- end }}`,
      ].join('\n')
    case 'items':
      return [
        `${indent}{{- with .Values.${form.value} }}`,
        `${indent}{{- toYaml . | nindent ${indent.length} }}`,
        `${indent}{{- end }}`,
      ].join('\n')
    case 'lines':
      return [
        `${indent}{{- if .Values.${form.when} }}`,
        ...form.lines.map((line) => `${indent}${before}${line}`),
        `${indent}{{- end }}`,
      ].join('\n')
  }
}

/** What people and the controller put into kinds and namespaces outlives a release; a namespace that Helm itself made is not made twice. */
function kept(document: Document, { stays }: { readonly stays: boolean }, text: string): string {
  const [kind, name] = [document.get('kind'), document.getIn(['metadata', 'name'])]
  const isKept = stays || kind === 'CustomResourceDefinition' || kind === 'Namespace'
  const marked = isKept ? text.replace(/^metadata:\n/m, 'metadata:\n  annotations:\n    helm.sh/resource-policy: keep\n') : text
  if (kind !== 'Namespace' || name !== RELEASE_NAMESPACE) return marked
  return `{{- if ne .Release.Namespace "${RELEASE_NAMESPACE}" }}\n${marked}\n{{- end }}`
}
