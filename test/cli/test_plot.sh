#!/usr/bin/env bash
# filum plot.
# shellcheck source=test/test.sh
source "$FILUM_SOURCE/test/test.sh"

# A folder as filum run leaves it, with some of the columns in another order.
columns=frame,time,stretch,kinetic,elastic,gravity,momentum_x,momentum_y,momentum_z,iterations,most_iterations,unconverged,residual,seconds_solve,seconds_write,seconds
mkdir film
{
    echo "$columns"
    for i in {0..9}; do
        echo "$i,0.$i,1e-6,0.00$i,0.001,-0.00$i,1,-2,3,1$i,$i,0,1e-$i,0.2,0.1,0.3"
    done
} >film/stats.csv
echo '{"motion": {"tolerance": 1e-5}}' >film/scene.json

check plot_runs "$FILUM" plot film
for name in energy momentum strain residual iterations time overview; do
    check "plot_$name" test -s "film/plots/$name.svg"
    if command -v xmllint >/dev/null; then check "plot_${name}_is_xml" xmllint --noout "film/plots/$name.svg"; fi
done
# shows NAME WORD FILE: the file holds the word.
shows() { check "$1" grep -qF -- "$2" "$3"; }
shows plot_energy_is_short "energy (mJ)" film/plots/energy.svg
shows plot_energy_has_a_total ">total<" film/plots/energy.svg
shows plot_gravity_is_relative "gravity, from the start" film/plots/energy.svg
shows plot_strain_is_short "stretch (µm/m)" film/plots/strain.svg
shows plot_tolerance ">tolerance<" film/plots/residual.svg
shows plot_phases ">solve<" film/plots/time.svg
for title in Energy Momentum Strain Residual Iterations "Where the time goes"; do
    shows "plot_overview_has_${title%% *}" "$title" film/plots/overview.svg
done
# Kinetic energy 0 to 9 mJ, gravity from 0 to -9 mJ: the total does not move.
total=$(grep -c '<path clip-path' film/plots/energy.svg)
if [[ $total == 4 ]]; then ok plot_energy_curves; else fail plot_energy_curves "$total curves"; fi

check plot_elsewhere "$FILUM" plot film -o charts --quiet
check plot_elsewhere_is_there test -s charts/overview.svg
json=$("$FILUM" plot film --json)
if [[ $json == *'"film/plots/overview.svg"'* ]]; then ok plot_json; else fail plot_json "$json"; fi

# A row that is still being written is left out; without a copy of the scene there is no tolerance.
cp -r film open
printf '10,0.9,1' >>open/stats.csv
rm -r open/scene.json open/plots
check plot_while_running "$FILUM" plot open
shows plot_while_running_rows "10 frames" open/plots/energy.svg
if grep -q tolerance open/plots/residual.svg; then fail plot_no_scene "a tolerance from nowhere"; else ok plot_no_scene; fi

# refuses NAME WORD: film/stats.csv is what stdin says; one sentence with WORD, and no plot.
refuses() {
    rm -rf bad && mkdir bad
    cat >bad/stats.csv
    check_exit "$1" 2 "$2" "$FILUM" plot bad
    check "$1_leaves_nothing" test ! -e bad/plots
}
refuses plot_empty "bad/stats.csv: has no names of columns in its first line" </dev/null
head -1 film/stats.csv | refuses plot_no_rows "bad/stats.csv: has no rows yet"
sed 's/kinetic/energy/' film/stats.csv | refuses plot_no_column "bad/stats.csv: has no column 'kinetic'"
sed 's/seconds_/s_/g' film/stats.csv | refuses plot_no_phases "bad/stats.csv: has no column 'seconds_...'"
sed '4s/.*/2,0.2/' film/stats.csv | refuses plot_short_row "bad/stats.csv: line 4: stretch must be a number (got '')"
sed '4s/0.2/half/' film/stats.csv | refuses plot_word "bad/stats.csv: line 4: time must be a number (got 'half')"
sed '4s/$/,1/' film/stats.csv | refuses plot_long_row "bad/stats.csv: line 4: must have 16 numbers (got more)"
head -c 5000 /dev/zero | tr '\0' , | sed 's/$/\n\n\n\n/' | refuses plot_commas "bad/stats.csv: "
head -c 3000 /dev/urandom | refuses plot_noise "bad/stats.csv: "
check_exit plot_nowhere 2 "nowhere/stats.csv: cannot open" "$FILUM" plot nowhere
check_exit plot_no_folder 2 "DIR" "$FILUM" plot
check_exit plot_into_file 3 "cannot" "$FILUM" plot film -o film/stats.csv

# Contacts, where there are any; words of trouble are no numbers.
mkdir touch
sed "1s/\$/,contacts,closed,contact_residual,trouble/; 2,\$s/\$/,12,3,1e-7,contact+stretch/; 3s/contact+stretch\$//" film/stats.csv >touch/stats.csv
echo '{"contact": {"tolerance": 1e-5}}' >touch/scene.json
check plot_touch "$FILUM" plot touch
shows plot_contacts ">with an impulse<" touch/plots/contacts.svg
shows plot_contact_residual ">tolerance<" touch/plots/contact_residual.svg
shows plot_overview_has_contacts "Residual of the contacts" touch/plots/overview.svg
check plot_without_contacts test ! -e film/plots/contacts.svg
sed -i 's/,12,3,/,0,0,/' touch/stats.csv
check plot_nothing_touched bash -c "'$FILUM' plot touch -o none --quiet && test ! -e none/contacts.svg"
sed 's/,0,0,1e-7/,0,much,1e-7/' touch/stats.csv | refuses plot_word_elsewhere "closed must be a number (got 'much')"
