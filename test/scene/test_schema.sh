#!/usr/bin/env bash
# filum schema: accepts all scenes of the tree, refuses those that are wrong in their structure. What the documents hold
# of it (scripts/update_reference) is what it prints.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

check schema "$FILUM" schema
"$FILUM" schema >schema.json
checker=$FILUM_SOURCE/test/scene/check_schema.py
mapfile -t scenes < <(find "$FILUM_SOURCE/scenes" -name '*.json' | sort)
if command -v python3 >/dev/null; then
    check schema_accepts_the_scenes python3 "$checker" schema.json accept "${scenes[@]}"
    check schema_refuses_malformed_scenes python3 "$checker" schema.json refuse "$FILUM_SOURCE/test/scene/malformed.txt"
    # The checker itself must notice.
    echo '{"groups": [{"name": 3}]}' >bad.json
    check_exit schema_checker_notices 1 "" python3 "$checker" schema.json accept bad.json
else
    skip schema_accepts_the_scenes "python3 is missing"
fi

mkdir docs
cp "$FILUM_SOURCE/docs/scene.md" docs
check update_reference "$FILUM_SOURCE/scripts/update_reference" "$FILUM" docs
for page in scene.md scene.schema.json; do
    check "${page//./_}_is_up_to_date" diff "$FILUM_SOURCE/docs/$page" "docs/$page"
done
