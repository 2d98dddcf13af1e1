import { expect, test } from 'vitest'
import { JSON_PATCH, MERGE } from './raw-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const MAPS = `/api/v1/namespaces/${server.namespace}/configmaps`
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${server.namespace}/leases`

await server.send('POST', MAPS, { body: { metadata: { name: 'there' }, data: { a: '1' } } })

const failure = (more: object) => ({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...more })

/** Sends, and gives the Status together with the HTTP code. */
async function refusal(method: string, path: string, options: { body?: unknown; headers?: Record<string, string> } = {}) {
  const { code, body } = await server.send(method, path, options)
  return { http: code, ...body }
}

test('an object that is not there is NotFound, with its resource', async () => {
  expect(await refusal('GET', `${MAPS}/gone`)).toEqual({
    http: 404,
    ...failure({
      message: 'configmaps "gone" not found',
      reason: 'NotFound',
      details: { name: 'gone', kind: 'configmaps' },
      code: 404,
    }),
  })
})

test('NotFound of a resource in a group names the group', async () => {
  expect(await refusal('GET', `${LEASES}/gone`)).toMatchObject({
    http: 404,
    message: 'leases.coordination.k8s.io "gone" not found',
    details: { name: 'gone', group: 'coordination.k8s.io', kind: 'leases' },
  })
})

test('a patch, a replacement and a deletion of what is not there are NotFound', async () => {
  const body = { metadata: { name: 'gone' } }
  const answers = [
    await refusal('PATCH', `${MAPS}/gone`, { body: {}, headers: MERGE }),
    await refusal('PUT', `${MAPS}/gone`, { body }),
    await refusal('DELETE', `${MAPS}/gone`),
  ]

  expect(answers.map(({ http, reason }) => `${http} ${reason}`)).toEqual(['404 NotFound', '404 NotFound', '404 NotFound'])
})

test('a resource that its group does not have is a Status, an unknown group is plain text', async () => {
  expect(await refusal('GET', '/api/v1/nonsense')).toEqual({
    http: 404,
    ...failure({ message: 'the server could not find the requested resource', reason: 'NotFound', details: {}, code: 404 }),
  })
  expect(await server.send('GET', '/apis/nonsense.example/v1/things')).toMatchObject({ code: 404, text: '404 page not found\n' })
})

test('a name that is taken is AlreadyExists', async () => {
  expect(await refusal('POST', MAPS, { body: { metadata: { name: 'there' } } })).toEqual({
    http: 409,
    ...failure({
      message: 'configmaps "there" already exists',
      reason: 'AlreadyExists',
      details: { name: 'there', kind: 'configmaps' },
      code: 409,
    }),
  })
})

test('a write based on an old version is a Conflict', async () => {
  const body = { metadata: { name: 'there', resourceVersion: '1' } }
  const conflict = {
    http: 409,
    ...failure({
      message:
        'Operation cannot be fulfilled on configmaps "there": the object has been modified; please apply your changes to the latest version and try again',
      reason: 'Conflict',
      details: { name: 'there', kind: 'configmaps' },
      code: 409,
    }),
  }

  expect(await refusal('PUT', `${MAPS}/there`, { body })).toEqual(conflict)
  expect(await refusal('PATCH', `${MAPS}/there`, { body, headers: MERGE })).toEqual(conflict)
})

test('a deletion whose precondition does not hold is a Conflict', async () => {
  const uid = await refusal('DELETE', `${MAPS}/there`, { body: { preconditions: { uid: 'another' } } })
  const version = await refusal('DELETE', `${MAPS}/there`, { body: { preconditions: { resourceVersion: '1' } } })

  expect([uid.reason, version.reason]).toEqual(['Conflict', 'Conflict'])
  expect(uid.message).toContain('the UID in the precondition (another) does not match the UID in record')
})

test('a malformed name is Invalid, with the field', async () => {
  const { http, reason, details } = await refusal('POST', MAPS, { body: { metadata: { name: 'Not_A_Name' } } })

  expect(`${http} ${reason}`).toBe('422 Invalid')
  expect(details).toMatchObject({
    name: 'Not_A_Name',
    kind: 'ConfigMap',
    causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name' }],
  })
})

test('malformed labels and annotation keys are Invalid, all told at once', async () => {
  const metadata = { name: 'x', labels: { ok: '-bad-', 'a/b/c': 'x' }, annotations: { '/x': 'y' } }
  const { details } = await refusal('POST', MAPS, { body: { metadata } })

  const fields = details.causes.map(({ field }: { field: string }) => field)
  expect(new Set(fields)).toEqual(new Set(['metadata.labels', 'metadata.annotations']))
})

test('annotations above 256 KiB together are Invalid', async () => {
  const annotations = { a: 'x'.repeat(200 * 1024), b: 'x'.repeat(60 * 1024) }
  const { http, details } = await refusal('POST', MAPS, { body: { metadata: { name: 'x', annotations } } })

  expect(http).toBe(422)
  expect(details.causes).toEqual([
    { reason: 'FieldValueTooLong', message: 'Too long: may not be more than 262144 bytes', field: 'metadata.annotations' },
  ])
})

test('a value of the wrong type is a BadRequest in an object and Invalid in a patch', async () => {
  const created = await refusal('POST', MAPS, { body: { metadata: { name: 'x' }, data: { a: 1 } } })
  const patched = await refusal('PATCH', `${MAPS}/there`, { body: { data: { a: 1 } }, headers: MERGE })

  expect(created).toMatchObject({
    http: 400,
    reason: 'BadRequest',
    message:
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  })
  expect(patched).toMatchObject({ http: 422, reason: 'Invalid', details: { causes: [{ field: 'patch' }] } })
})

test('an unknown field is dropped with a warning, or refused when validation is strict', async () => {
  const body = { metadata: { name: 'dropped' }, dta: { a: '1' } }
  const warned = await server.send('POST', MAPS, { body })
  const refused = await refusal('POST', `${MAPS}?fieldValidation=Strict`, { body: { ...body, metadata: { name: 'strict' } } })

  expect(warned.headers.warning).toBe('299 - "unknown field \\"dta\\""')
  expect(warned.body.dta).toBeUndefined()
  expect(refused).toMatchObject({
    http: 400,
    message: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta"',
  })
})

test('another kind than the URL says is a BadRequest', async () => {
  const body = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'x' } }

  expect(await refusal('POST', MAPS, { body })).toMatchObject({
    http: 400,
    reason: 'BadRequest',
    message:
      'Node in version "v1" cannot be handled as a ConfigMap: converting (v1.Node) to (core.ConfigMap): unknown conversion',
  })
})

test('another name, namespace or uid than the object has is refused', async () => {
  const renamed = await refusal('PATCH', `${MAPS}/there`, { body: { metadata: { name: 'other' } }, headers: MERGE })
  const replaced = await refusal('PUT', `${MAPS}/there`, { body: { metadata: { name: 'other' } } })
  const moved = await refusal('POST', MAPS, { body: { metadata: { name: 'x', namespace: 'default' } } })
  const swapped = await refusal('PATCH', `${MAPS}/there`, { body: { metadata: { uid: 'other' } }, headers: MERGE })

  expect([renamed.message, replaced.message, moved.message]).toEqual([
    'the name of the object (other) does not match the name on the URL (there)',
    'the name of the object (other) does not match the name on the URL (there)',
    'the namespace of the provided object does not match the namespace sent on the request',
  ])
  expect([renamed.http, replaced.http, moved.http, swapped.http]).toEqual([400, 400, 400, 422])
})

test('a namespace that is not there is NotFound', async () => {
  expect(await refusal('POST', '/api/v1/namespaces/not-there/configmaps', { body: { metadata: { name: 'x' } } })).toMatchObject({
    http: 404,
    message: 'namespaces "not-there" not found',
    details: { name: 'not-there', kind: 'namespaces' },
  })
})

test('content types that cannot be read are 415, ones that cannot be written 406', async () => {
  const headers = { 'content-type': 'text/plain' }
  const posted = await refusal('POST', MAPS, { body: '{}', headers })
  const patched = await refusal('PATCH', `${MAPS}/there`, { body: {} })
  const wanted = await refusal('GET', MAPS, { headers: { accept: 'application/x-nonsense' } })

  expect(posted).toEqual({
    http: 415,
    ...failure({
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      reason: 'UnsupportedMediaType',
      code: 415,
    }),
  })
  expect([patched.http, patched.reason]).toEqual([415, 'UnsupportedMediaType'])
  expect([wanted.http, wanted.reason]).toEqual([406, 'NotAcceptable'])
})

test('bodies that are no JSON, or no patch, are a BadRequest', async () => {
  const answers = [
    await refusal('POST', MAPS, { body: '{nonsense' }),
    await refusal('POST', MAPS, { body: '[]' }),
    await refusal('PATCH', `${MAPS}/there`, { body: '{nonsense', headers: MERGE }),
    await refusal('PATCH', `${MAPS}/there`, { body: [], headers: MERGE }),
    await refusal('PATCH', `${MAPS}/there`, { body: {}, headers: JSON_PATCH }),
  ]

  expect(answers.map(({ http, reason }) => `${http} ${reason}`)).toEqual(Array(5).fill('400 BadRequest'))
})

test('an owner that lacks its particulars is Invalid', async () => {
  const body = { metadata: { ownerReferences: [{ name: 'x' }] } }
  const { http, details } = await refusal('PATCH', `${MAPS}/there`, { body, headers: MERGE })

  const fields = details.causes.map(({ field }: { field: string }) => field)
  expect(http).toBe(422)
  expect(new Set(fields)).toEqual(
    new Set(['metadata.ownerReferences.apiVersion', 'metadata.ownerReferences.kind', 'metadata.ownerReferences.uid']),
  )
})

test('a body above 3 MiB is refused', async () => {
  const body = { metadata: { name: 'x' }, data: { a: 'x'.repeat(3 * 1024 * 1024) } }

  expect(await refusal('POST', MAPS, { body })).toEqual({
    http: 413,
    ...failure({
      message: 'Request entity too large: limit is 3145728',
      reason: 'RequestEntityTooLarge',
      code: 413,
    }),
  })
})

test('methods that a path does not have are 405', async () => {
  const answers = [await refusal('PUT', MAPS, { body: {} }), await refusal('POST', '/api/v1/configmaps', { body: {} })]

  for (const answer of answers)
    expect(answer).toEqual({
      http: 405,
      ...failure({
        message: 'the server does not allow this method on the requested resource',
        reason: 'MethodNotAllowed',
        details: {},
        code: 405,
      }),
    })
})

test('options that are not known are Invalid', async () => {
  const dryRun = await refusal('POST', `${MAPS}?dryRun=Some`, { body: { metadata: { name: 'x' } } })
  const validation = await refusal('POST', `${MAPS}?fieldValidation=Some`, { body: { metadata: { name: 'x' } } })

  expect(dryRun.message).toBe(
    'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
  )
  expect([validation.http, validation.details.causes[0].field]).toEqual([422, 'fieldValidation'])
})

test('the namespaces that a cluster stands on cannot be deleted', async () => {
  expect(await refusal('DELETE', '/api/v1/namespaces/default')).toEqual({
    http: 403,
    ...failure({
      message: 'namespaces "default" is forbidden: this namespace may not be deleted',
      reason: 'Forbidden',
      details: { name: 'default', kind: 'namespaces' },
      code: 403,
    }),
  })
})
