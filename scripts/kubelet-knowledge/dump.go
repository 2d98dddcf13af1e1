// Prints, as JSON, what one kubelet version knows: the fields of its configuration with their types and the values it takes,
// its flags and the fields they stand for, its feature gates. generate.ts compiles it, with verdict.go, against each version in turn.
// With the argument "verdicts" it judges documents instead: see verdict.go.
package main

import (
	"encoding/json"
	"log"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/featuregate"
	logsapi "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register" // brings the flags of the JSON format, as in the kubelet itself
	"k8s.io/kubelet/config/v1beta1"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
)

type flag struct {
	Type       string `json:"type"`
	Deprecated bool   `json:"deprecated,omitempty"`
	Field      string `json:"field,omitempty"`
}

type gate struct {
	Default bool     `json:"default"`
	Stage   string   `json:"stage"`
	Locked  bool     `json:"locked,omitempty"`
	Needs   []string `json:"needs,omitempty"`
}

// Of versions whose gates may need one another.
type withDependencies interface {
	Dependencies() map[featuregate.Feature][]featuregate.Feature
}

type knowledge struct {
	Types  map[string]map[string]string `json:"types"`
	Flags  map[string]flag              `json:"flags"`
	Gates  map[string]gate              `json:"gates"`
	Ranges map[string][2]int64          `json:"ranges"`
	Enums  map[string][]string          `json:"enums"`
}

// Types that read and write themselves, and so look different in JSON from what their fields say.
var scalars = map[reflect.Type]string{
	reflect.TypeFor[metav1.Duration]():            "duration",
	reflect.TypeFor[logsapi.TimeOrMetaDuration](): "interval",
	reflect.TypeFor[metav1.Time]():                "time",
	reflect.TypeFor[resource.Quantity]():          "quantity",
	reflect.TypeFor[resource.QuantityValue]():     "quantity",
}

var (
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	typeMeta    = reflect.TypeFor[metav1.TypeMeta]()
)

func init() {
	if err := logsapi.AddFeatureGates(utilfeature.DefaultMutableFeatureGate); err != nil {
		log.Fatal(err)
	}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "verdicts" {
		judgeLines(os.Stdin, os.Stdout)
		return
	}
	found := knowledge{Types: map[string]map[string]string{}, Flags: flags(), Gates: gates()}
	found.typeName(reflect.TypeFor[v1beta1.KubeletConfiguration]())
	found.Ranges, found.Enums = probe(reflect.TypeFor[v1beta1.KubeletConfiguration]())
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		log.Fatal(err)
	}
}

func flags() map[string]flag {
	set := pflag.NewFlagSet("kubelet", pflag.ContinueOnError)
	set.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	config, err := options.NewKubeletConfiguration()
	if err != nil {
		log.Fatal(err)
	}
	options.NewKubeletFlags().AddFlags(set)
	options.AddKubeletConfigFlags(set, config)
	options.AddGlobalFlags(set)
	found := map[string]flag{}
	set.VisitAll(func(f *pflag.Flag) { found[f.Name] = flag{f.Value.Type(), f.Deprecated != "", fieldOf(f.Name)} })
	return found
}

func gates() map[string]gate {
	found := map[string]gate{}
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		found[string(name)] = gate{spec.Default, string(spec.PreRelease), spec.LockToDefault, needs(name)}
	}
	return found
}

func needs(name featuregate.Feature) []string {
	known, ok := any(utilfeature.DefaultMutableFeatureGate).(withDependencies)
	if !ok {
		return nil
	}
	found := []string{}
	for _, other := range known.Dependencies()[name] {
		found = append(found, string(other))
	}
	slices.Sort(found)
	return found
}

// typeName gives what may stand in JSON for a Go type, and notes down the fields of the structs it meets.
func (k *knowledge) typeName(t reflect.Type) string {
	if name, ok := scalars[t]; ok {
		return name
	}
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(unmarshaler) {
		log.Fatalf("%v reads itself from JSON: say in scalars what it accepts", t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return k.typeName(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "string"
		}
		return "[]" + k.typeName(t.Elem())
	case reflect.Map:
		return "{}" + k.typeName(t.Elem())
	case reflect.Struct:
		k.addStruct(t)
		return t.Name()
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return "int"
	case reflect.Float64:
		return "number"
	case reflect.String, reflect.Bool:
		return t.Kind().String()
	}
	log.Fatalf("%v: no JSON type is known for it", t)
	return ""
}

func (k *knowledge) addStruct(t reflect.Type) {
	if k.Types[t.Name()] != nil {
		return
	}
	k.Types[t.Name()] = map[string]string{}
	k.addFields(t.Name(), t)
}

func (k *knowledge) addFields(owner string, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Type == typeMeta {
			continue // apiVersion and kind say what the document is; they configure nothing
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && (field.Anonymous || strings.Contains(options, "inline")) {
			k.addFields(owner, field.Type)
		} else if name != "" && name != "-" {
			k.Types[owner][name] = k.typeName(field.Type)
		}
	}
}
