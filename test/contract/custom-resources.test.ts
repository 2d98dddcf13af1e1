import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import type { Body, RawAnswer } from './raw-client.ts'
import { brief, JSON_PATCH, MERGE, namesOf, STRATEGIC, TABLE, take } from './raw-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
/** Definitions are of the whole cluster: each run has a group of its own. */
const GROUP = `x${randomBytes(4).toString('hex')}.example.com`
const WIDGETS = `/apis/${GROUP}/v1/widgets`

const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10 },
    color: { type: 'string', enum: ['red', 'blue'] },
    name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5, minLength: 2 },
    mode: { type: 'string', default: 'usual' },
    share: { 'x-kubernetes-int-or-string': true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    flags: { type: 'object', additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true } },
    parts: { type: 'array', maxItems: 2, items: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } } },
  },
}
const condition = { type: 'object', properties: { type: { type: 'string' }, status: { type: 'string' } } }
const status = { type: 'object', properties: { count: { type: 'integer' }, conditions: { type: 'array', items: condition } } }
const version = {
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec, status } } },
  subresources: { status: {} },
  selectableFields: [{ jsonPath: '.spec.color' }],
  additionalPrinterColumns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
    { name: 'Free', type: 'string', jsonPath: '.spec.free' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
}
const definition = {
  metadata: { name: `widgets.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget', shortNames: [`w${GROUP.slice(0, 9)}`] },
    versions: [
      { name: 'v1', ...version, storage: true },
      { name: 'v1beta1', ...version },
    ],
  },
}

const since = (await server.send('GET', DEFINITIONS)).body.metadata.resourceVersion
const made = await server.send('POST', DEFINITIONS, { body: definition })
await untilServed()
afterAll(() => server.send('DELETE', `${DEFINITIONS}/widgets.${GROUP}`))

/** Established first; then the API server starts to serve it and, apart from that, to tell of it: with 404 and 429 until it does. */
async function untilServed(): Promise<void> {
  const query = `watch=true&resourceVersion=${since}&fieldSelector=metadata.name%3Dwidgets.${GROUP}`
  const events = await server.watch(`${DEFINITIONS}?${query}`)
  const isEstablished = ({ object }: Body) =>
    object.status.conditions?.some(({ type, status }: Body) => type === 'Established' && status === 'True')
  for (let event = await events.next(); !isEstablished(event.value); ) event = await events.next()
  for (const path of [WIDGETS, `/apis/${GROUP}/v1`, `/apis/${GROUP}/v1beta1`]) {
    let answer: RawAnswer
    do answer = await server.send('GET', path)
    while (answer.code === 404 || answer.code === 429)
  }
}

const widget = (name: string, more: object = {}) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Widget',
  metadata: { name },
  spec: { size: 3 },
  ...more,
})
const create = (body: object, query = '') => server.send('POST', `${WIDGETS}${query}`, { body })
const patch = (path: string, body: unknown, headers: Record<string, string> = MERGE) =>
  server.send('PATCH', `${WIDGETS}/${path}`, { body, headers })

/** `field: reason` of every cause of a refusal. */
const causes = ({ body }: RawAnswer) => body.details.causes.map(({ field, reason }: Body) => `${field}: ${reason}`).sort()

test('a definition gets its names filled in, and is established', async () => {
  const { body } = await server.send('GET', `${DEFINITIONS}/widgets.${GROUP}`)

  expect(made.code).toBe(201)
  expect(body.spec.names).toMatchObject({ plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' })
  expect(body.status.conditions.map(({ type, status, reason }: Body) => `${type} ${status} ${reason}`)).toEqual([
    'NamesAccepted True NoConflicts',
    'Established True InitialNamesAccepted',
  ])
  expect(body.status.storedVersions).toEqual(['v1'])
})

test('a definition that cannot be served is Invalid', async () => {
  const changed = (more: object) =>
    server.send('POST', DEFINITIONS, { body: { ...definition, spec: { ...definition.spec, ...more } } })

  expect(causes(await changed({ scope: 'Sometimes' }))).toEqual(['spec.scope: FieldValueNotSupported'])
  expect(causes(await changed({ group: 'other.example.com' }))).toEqual(['metadata.name: FieldValueInvalid'])
  expect(causes(await changed({ versions: [{ name: 'v1', served: true, storage: true }] }))).toEqual([
    'spec.versions[0].schema.openAPIV3Schema: FieldValueRequired',
  ])
})

test('a new object has generation 1, defaults, no status and no unknown fields', async () => {
  const { code, headers, body } = await create(
    widget('fresh', { spec: { size: 3, sise: 4, free: { any: 1 } }, status: { count: 1 } }),
  )

  expect(code).toBe(201)
  expect(headers.warning).toBe('299 - "unknown field \\"spec.sise\\""')
  expect(body.spec).toEqual({ size: 3, mode: 'usual', free: { any: 1 } })
  expect([body.metadata.generation, body.status]).toEqual([1, undefined])
})

test('null stays where the schema knows no members, as in the flags of a NodePool', async () => {
  const flags = { labels: { a: null, b: 'x' } }
  expect((await create(widget('nulls', { spec: { size: 1, flags } }))).body.spec.flags).toEqual(flags)
  const body = [{ op: 'replace', path: '/spec', value: { size: 2, flags } }]
  const patched = await server.send('PATCH', `${WIDGETS}/nulls`, { body, headers: JSON_PATCH })
  expect(patched.body.spec.flags).toEqual(flags)
})

test('the generation grows with the spec alone', async () => {
  await create(widget('counted'))
  const labelled = await patch('counted', { metadata: { labels: { a: 'b' } } })
  const reported = await patch('counted/status', { status: { count: 5 } })
  const changed = await patch('counted', { spec: { size: 4 } })

  expect([labelled, reported, changed].map(({ body }) => body.metadata.generation)).toEqual([1, 1, 2])
})

test('the status is written by its subresource alone, and nothing else is', async () => {
  await create(widget('apart'))
  await patch('apart', { status: { count: 1 } })
  const { body } = await patch('apart/status', { status: { count: 5 }, spec: { size: 9 }, metadata: { labels: { a: 'b' } } })

  expect([body.status, body.spec.size, body.metadata.labels]).toEqual([{ count: 5 }, 3, undefined])
  expect((await server.send('GET', `${WIDGETS}/apart`)).body.status).toEqual({ count: 5 })
})

test('what the schema does not allow is Invalid, all told at once', async () => {
  const wrongTypes = await create(widget('x', { spec: { size: 'x', color: 'green', share: true, parts: [{}] } }))
  const outOfBounds = await create(
    widget('x', { spec: { size: 20, name: 'a', parts: [{ key: 'a' }, { key: 'b' }, { key: 'c' }] } }),
  )
  const missing = await create({ apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name: 'x' } })

  expect(causes(wrongTypes)).toEqual([
    'spec.color: FieldValueNotSupported',
    'spec.parts[0].key: FieldValueRequired',
    'spec.share: FieldValueTypeInvalid',
    'spec.size: FieldValueTypeInvalid',
  ])
  expect(causes(outOfBounds)).toEqual([
    'spec.name: FieldValueInvalid',
    'spec.parts: FieldValueTooMany',
    'spec.size: FieldValueInvalid',
  ])
  expect(missing.body.message).toBe(`Widget.${GROUP} "x" is invalid: spec: Required value`)
})

test('a message about a wrong value says what stands there and what is allowed', async () => {
  const message = async (more: object) =>
    (await create(widget('x', { spec: { size: 3, ...more } }))).body.details.causes[0].message

  expect(await message({ color: 'green' })).toBe('Unsupported value: "green": supported values: "red", "blue"')
  expect(await message({ name: 'ABC' })).toBe(`Invalid value: "ABC": spec.name in body should match '^[a-z]+$'`)
  expect(await message({ size: 0 })).toBe('Invalid value: 0: spec.size in body should be greater than or equal to 1')
  expect(await message({ size: 'x' })).toBe('Invalid value: "string": spec.size in body must be of type integer: "string"')
})

test('a patch is validated as a whole object is', async () => {
  await create(widget('patched'))

  expect(causes(await patch('patched', { spec: { size: 'x' } }))).toEqual(['spec.size: FieldValueTypeInvalid'])
  expect((await patch('patched', [{ op: 'replace', path: '/spec/size', value: 6 }], JSON_PATCH)).body.spec.size).toBe(6)
})

test('strategic patches are not for custom resources', async () => {
  await create(widget('strategic'))
  const { code, body } = await patch('strategic', {}, STRATEGIC)

  expect([code, body.message]).toEqual([
    415,
    'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  ])
})

test('a replacement must say which version it replaces', async () => {
  await create(widget('replaced'))
  const { code, body } = await server.send('PUT', `${WIDGETS}/replaced`, { body: widget('replaced') })

  expect([code, body.message]).toEqual([
    422,
    `widgets.${GROUP} "replaced" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
  ])
})

test('kind and apiVersion must be those of the path', async () => {
  const kind = await create(widget('x', { kind: 'Gadget' }))
  const apiVersion = await create(widget('x', { apiVersion: `${GROUP}/v2` }))
  const none = await create({ metadata: { name: 'x' }, spec: { size: 3 } })

  expect([kind.code, kind.body.message]).toEqual([
    422,
    `Gadget.${GROUP} "x" is invalid: kind: Invalid value: "Gadget": must be Widget`,
  ])
  expect([apiVersion.code, apiVersion.body.message]).toEqual([
    400,
    `the API version in the data (${GROUP}/v2) does not match the expected API version (${GROUP}/v1)`,
  ])
  expect(none.code).toBe(400)
})

test('every served version shows the same object', async () => {
  await create(widget('versioned'))
  const { body } = await server.send('GET', `/apis/${GROUP}/v1beta1/widgets/versioned`)

  expect([body.apiVersion, body.spec.size]).toEqual([`${GROUP}/v1beta1`, 3])
})

test('the table has the columns that the definition wants', async () => {
  await create(widget('tabled', { spec: { size: 3, color: 'red', free: { b: 1, a: 2 } } }))
  await patch('tabled/status', { status: { conditions: [{ type: 'Ready', status: 'True' }] } })
  const { body } = await server.send('GET', `${WIDGETS}/tabled`, { headers: TABLE })

  expect(body.columnDefinitions.map(({ name, type, priority }: Body) => `${name} ${type} ${priority}`)).toEqual([
    'Name string 0',
    'Size integer 0',
    'Ready string 0',
    'Color string 1',
    'Free string 0',
    'Age date 0',
  ])
  expect(body.rows[0].cells).toEqual(['tabled', 3, 'True', 'red', '{"a":2,"b":1}', expect.stringMatching(/^\d+s$/)])
})

test('a cell without a value is null', async () => {
  await create(widget('bare'))
  const { body } = await server.send('GET', `${WIDGETS}/bare`, { headers: TABLE })

  expect(body.rows[0].cells.slice(0, 5)).toEqual(['bare', 3, null, null, null])
})

test('objects are selected by the fields that the definition names, and no others', async () => {
  await create(widget('blue', { spec: { size: 3, color: 'blue' } }))

  expect(namesOf((await server.send('GET', `${WIDGETS}?fieldSelector=spec.color%3Dblue`)).body)).toEqual(['blue'])
  expect((await server.send('GET', `${WIDGETS}?fieldSelector=spec.size%3D3`)).body.message).toBe(
    'field label not supported: spec.size',
  )
})

test('a watch from before the definition is Expired', async () => {
  const [event] = await take(await server.watch(`${WIDGETS}?watch=true&resourceVersion=1`), 1)

  expect([event.type, event.object.reason, event.object.code]).toEqual(['ERROR', 'Expired', 410])
  expect(event.object.message).toMatch(/^too old resource version: 1 \(\d+\)$/)
})

test('items of a list carry their kind, and a watch tells of them', async () => {
  const { body } = await server.send('GET', WIDGETS)
  const events = await server.watch(`${WIDGETS}?watch=true&resourceVersion=${body.metadata.resourceVersion}`)
  await create(widget('watched'))

  expect(body.items[0]).toMatchObject({ kind: 'Widget', apiVersion: `${GROUP}/v1` })
  expect((await take(events, 1)).map(brief)).toEqual(['ADDED watched'])
})

test('discovery knows the resource', async () => {
  const { body } = await server.send('GET', `/apis/${GROUP}/v1`)

  expect(body.resources.map(({ name, kind, namespaced }: Body) => `${name} ${kind} ${namespaced}`)).toEqual([
    'widgets Widget false',
    'widgets/status Widget false',
  ])
  expect(body.resources[0]).toMatchObject({ singularName: 'widget', shortNames: [`w${GROUP.slice(0, 9)}`] })
})
